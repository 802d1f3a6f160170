package dev.dibs.cdi;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.NotAcquiredException;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.sql.Connection;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Calls an annotated method as its annotation says: around its transaction, which the standard begins at a priority of 200. */
@Interceptor
@Exclusive
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 190)
class ExclusiveInterceptor {

    private static final String GUARD = "dev.dibs.cdi.guard";

    /** Locks for a transaction that has just begun, or throws. */
    interface Guard {
        void guard(Connection connection);
    }

    /** The guard found the lock busy, and the method did not run. */
    private static final class Busy extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final Instance<Dibs> dibs;
    private final Transactions transactions;
    private final Enlistment enlistment;
    private volatile @Nullable Dibs found;

    @Inject
    ExclusiveInterceptor(Instance<Dibs> dibs, Transactions transactions, Enlistment enlistment) {
        this.dibs = dibs;
        this.transactions = transactions;
        this.enlistment = enlistment;
    }

    /** The guard for the transaction of this call of a method. */
    static Guard guard(InvocationContext call) {
        return (Guard) call.getContextData().get(GUARD);
    }

    @AroundInvoke
    @Nullable
    Object call(InvocationContext call) throws Exception {
        ExclusiveMethod method = ExclusiveMethod.of(call);
        if (transactions.isThere()) {
            throw new IllegalStateException(method.place()
                    + " was called inside of a transaction. The lock would be released before that transaction commits."
                    + " Call it outside of a transaction: the method begins its own one if it is @Transactional");
        }
        if (method.isTransactional(call)) {
            enlistment.look();
        }
        return method.locked() != null
                ? underLock(method, method.locked(), call)
                : oncePer(method, method.oncePer(), call);
    }

    private @Nullable Object underLock(ExclusiveMethod method, Locked locked, InvocationContext call) throws Exception {
        var lock = method.lock(dibs(), locked, call.getParameters());
        var longest = Durations.parse(locked.waitFor());
        if (!locked.lease()) {
            return byTransaction(lock, longest, call);
        }
        if (!method.isTransactional(call)) {
            return lock.call(longest, lease -> proceed(lease::guard, call));
        }
        // The guard has made the commit exclusive: a lease that ended by time meanwhile is no failure.
        try (Lease lease = lock.acquire(longest)) {
            return proceed(lease::guard, call);
        }
    }

    /** The transaction of the method has the lock. It waits before the transaction takes its connection. */
    private static @Nullable Object byTransaction(NamedLock lock, Duration longest, InvocationContext call)
            throws Exception {
        long begin = System.nanoTime();
        Guard guard = connection -> {
            if (!lock.tryGuard(connection)) {
                throw new Busy();
            }
        };
        for (boolean isFirst = true; ; isFirst = false) {
            Duration left = longest.minusNanos(System.nanoTime() - begin);
            Duration rest = left.isNegative() ? Duration.ZERO : left;
            if (!lock.awaitFree(rest)) {
                throw busy(lock, longest);
            }
            try {
                return proceed(guard, call);
            } catch (Busy e) {
                // A row that was purged just now is there for a second try, also without a wait.
                if (rest.isZero() && !isFirst) {
                    throw busy(lock, longest);
                }
            }
        }
    }

    private static NotAcquiredException busy(NamedLock lock, Duration longest) {
        return new NotAcquiredException(
                lock.name(),
                null,
                "'" + lock.name() + "' was not acquired within " + longest + ": a lease or another transaction has it");
    }

    private @Nullable Object oncePer(ExclusiveMethod method, OncePer oncePer, InvocationContext call) throws Exception {
        String name = oncePer.name().isEmpty() ? method.name(call) : oncePer.name();
        dibs().once(name).every(Durations.parse(oncePer.value())).tryRun(lease -> proceed(lease::guard, call));
        return null;
    }

    /** Asks for the bean once: it is a singleton, or a proxy that finds the one of the current scope. */
    private Dibs dibs() {
        Dibs known = found;
        if (known == null) {
            known = dibs.get();
            found = known;
        }
        return known;
    }

    private static @Nullable Object proceed(Guard guard, InvocationContext call) throws Exception {
        call.getContextData().put(GUARD, guard);
        return call.proceed();
    }
}
