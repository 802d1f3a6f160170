package dev.dibs.spring;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.NotAcquiredException;
import dev.dibs.once.Once;
import java.lang.reflect.UndeclaredThrowableException;
import java.sql.Connection;
import java.time.Duration;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** What the annotation of one method asks for. */
sealed interface ExclusiveMethod {

    /** The annotation and the method, for messages. */
    String place();

    /** Calls the method. */
    @Nullable
    Object call(MethodInvocation invocation) throws Throwable;

    /** With {@link Locked}. */
    record UnderLock(
            String place,
            Supplier<Dibs> dibs,
            String name,
            @Nullable LockKey key,
            Duration longest,
            boolean transactional)
            implements ExclusiveMethod {

        @Override
        public @Nullable Object call(MethodInvocation invocation) throws Throwable {
            var lock = key == null
                    ? dibs.get().lock(name)
                    : key.of(dibs.get(), name, invocation.getThis(), invocation.getArguments());
            if (!transactional) {
                return lock.call(longest, lease -> proceed(invocation));
            }
            // The guard has made the commit exclusive: a lease that ended by time meanwhile is no failure.
            try (Lease lease = lock.acquire(longest)) {
                return GuardedScope.proceed(lease::guard, invocation);
            }
        }
    }

    /** With {@link Locked} and without a lease: the transaction of the method has the lock. */
    record ByTransaction(
            String place,
            Supplier<Dibs> dibs,
            String name,
            @Nullable LockKey key,
            Duration longest) implements ExclusiveMethod {

        /** The guard found the lock busy, and the method did not run. */
        private static final class Busy extends RuntimeException {
            private static final long serialVersionUID = 1;
        }

        @Override
        public @Nullable Object call(MethodInvocation invocation) throws Throwable {
            NamedLock lock = key == null
                    ? dibs.get().lock(name)
                    : key.of(dibs.get(), name, invocation.getThis(), invocation.getArguments());
            long begin = System.nanoTime();
            for (boolean isFirst = true; ; isFirst = false) {
                Duration left = longest.minusNanos(System.nanoTime() - begin);
                Duration rest = left.isNegative() ? Duration.ZERO : left;
                // It waits before the transaction takes its connection.
                if (!lock.awaitFree(rest)) {
                    throw busy(lock);
                }
                try {
                    return GuardedScope.proceed(
                            connection -> requireFree(lock, connection),
                            ((ProxyMethodInvocation) invocation).invocableClone());
                } catch (Busy e) {
                    // A row that was purged just now is there for a second try, also without a wait.
                    if (rest.isZero() && !isFirst) {
                        throw busy(lock);
                    }
                }
            }
        }

        private NotAcquiredException busy(NamedLock lock) {
            return new NotAcquiredException(
                    lock.name(),
                    null,
                    "'" + lock.name() + "' was not acquired within " + longest
                            + ": a lease or another transaction has it");
        }

        private static void requireFree(NamedLock lock, Connection connection) {
            if (!lock.tryGuard(connection)) {
                throw new Busy();
            }
        }
    }

    /** With {@link OncePer}. */
    record OnceAPeriod(String place, Once once, boolean transactional) implements ExclusiveMethod {

        @Override
        public @Nullable Object call(MethodInvocation invocation) throws Throwable {
            once.tryRun(lease -> {
                if (transactional) {
                    guarded(lease, invocation);
                } else {
                    proceed(invocation);
                }
            });
            return null;
        }

        private static void guarded(Lease lease, MethodInvocation invocation) throws Exception {
            try {
                GuardedScope.proceed(lease::guard, invocation);
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new UndeclaredThrowableException(e);
            }
        }
    }

    private static @Nullable Object proceed(MethodInvocation invocation) throws Exception {
        try {
            return invocation.proceed();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new UndeclaredThrowableException(e);
        }
    }
}
