package dev.dibs.cdi.quarkus;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.Transactional;

/** Runs something after a transaction has begun, before its guard. */
@Interceptor
@Transactional
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 205)
public class BeforeGuard {

    private static volatile Runnable action = () -> {};

    static void run(Runnable wanted) {
        action = wanted;
    }

    @AroundInvoke
    Object call(InvocationContext call) throws Exception {
        action.run();
        return call.proceed();
    }
}
