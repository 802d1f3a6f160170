package dev.dibs.spring;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.once.Once;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

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
                return GuardedScope.proceed(lease, invocation);
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
                GuardedScope.proceed(lease, invocation);
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
