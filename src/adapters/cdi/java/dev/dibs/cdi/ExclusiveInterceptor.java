package dev.dibs.cdi;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import org.jspecify.annotations.Nullable;

/** Calls an annotated method as its annotation says: around its transaction, which the standard begins at a priority of 200. */
@Interceptor
@Exclusive
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 190)
class ExclusiveInterceptor {

    private static final String LEASE = "dev.dibs.cdi.lease";

    private final Instance<Dibs> dibs;
    private final Transactions transactions;
    private final Enlistment enlistment;

    @Inject
    ExclusiveInterceptor(Instance<Dibs> dibs, Transactions transactions, Enlistment enlistment) {
        this.dibs = dibs;
        this.transactions = transactions;
        this.enlistment = enlistment;
    }

    /** The lease that this call of a method holds. */
    static Lease lease(InvocationContext call) {
        return (Lease) call.getContextData().get(LEASE);
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
        var lock = method.lock(dibs.get(), locked, call.getParameters());
        var longest = Durations.parse(locked.waitFor());
        if (!method.isTransactional(call)) {
            return lock.call(longest, lease -> proceed(lease, call));
        }
        // The guard has made the commit exclusive: a lease that ended by time meanwhile is no failure.
        try (Lease lease = lock.acquire(longest)) {
            return proceed(lease, call);
        }
    }

    private @Nullable Object oncePer(ExclusiveMethod method, OncePer oncePer, InvocationContext call) throws Exception {
        String name = oncePer.name().isEmpty() ? method.name(call) : oncePer.name();
        dibs.get().once(name).every(Durations.parse(oncePer.value())).tryRun(lease -> proceed(lease, call));
        return null;
    }

    private static @Nullable Object proceed(Lease lease, InvocationContext call) throws Exception {
        call.getContextData().put(LEASE, lease);
        return call.proceed();
    }
}
