package dev.dibs.spring;

import java.lang.reflect.Method;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;

/** Puts the lock around each annotated method, and around its transaction. */
final class ExclusiveAdvisor extends StaticMethodMatcherPointcutAdvisor {

    private static final long serialVersionUID = 1;

    /** A transaction begins last of all, unless the application has set another order. */
    private static final int BEFORE_TRANSACTIONS = Ordered.LOWEST_PRECEDENCE - 100;

    ExclusiveAdvisor(ExclusiveInterceptor interceptor) {
        super(interceptor);
        setOrder(BEFORE_TRANSACTIONS);
    }

    @Override
    public boolean matches(Method method, Class<?> type) {
        return ExclusiveMethods.isAnnotated(AopUtils.getMostSpecificMethod(method, type));
    }
}
