package dev.dibs.spring;

import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;

/** Runs something in each locked method's call, after the lock was acquired and before the transaction begins. */
@Configuration(proxyBeanMethods = false)
class BetweenLockAndTransaction {

    private static volatile Runnable action = () -> {};

    static void run(Runnable wanted) {
        action = wanted;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor betweenLockAndTransaction() {
        MethodInterceptor interceptor = call -> {
            action.run();
            return call.proceed();
        };
        DefaultPointcutAdvisor advisor =
                new DefaultPointcutAdvisor(AnnotationMatchingPointcut.forMethodAnnotation(Locked.class), interceptor);
        advisor.setOrder(Ordered.LOWEST_PRECEDENCE - 50);
        return advisor;
    }
}
