package dev.dibs.spring;

import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Calls an annotated method as its annotation says. */
final class ExclusiveInterceptor implements MethodInterceptor {

    private final ExclusiveMethods methods;

    ExclusiveInterceptor(ExclusiveMethods methods) {
        this.methods = methods;
    }

    @Override
    public Object invoke(MethodInvocation invocation) throws Throwable {
        Object bean = invocation.getThis();
        Class<?> type = bean == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(bean);
        Method method = AopUtils.getMostSpecificMethod(invocation.getMethod(), type);
        ExclusiveMethod exclusive = methods.of(method, type);
        if (TransactionSynchronizationManager.isActualTransactionActive() || GuardedScope.isOpen()) {
            throw new IllegalStateException(exclusive.place()
                    + " was called inside of a transaction. The lock would be released before that transaction commits."
                    + " Call it outside of a transaction: the method begins its own one if it is @Transactional");
        }
        return exclusive.call(invocation);
    }
}
