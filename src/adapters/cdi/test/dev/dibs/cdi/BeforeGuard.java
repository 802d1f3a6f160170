package dev.dibs.cdi;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

/** Runs something in each annotated method's call, after the lock was acquired and the transaction has begun, before the guard. */
@Interceptor
@Exclusive
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 205)
class BeforeGuard {

    private static final ThreadLocal<Runnable> ACTION = new ThreadLocal<>();

    /** In calls by this thread. */
    static void run(Runnable action) {
        ACTION.set(action);
    }

    static void runNothing() {
        ACTION.remove();
    }

    @AroundInvoke
    Object call(InvocationContext call) throws Exception {
        Runnable action = ACTION.get();
        if (action != null) {
            action.run();
        }
        return call.proceed();
    }
}
