package dev.dibs.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;

/** What a method must be like, so that its annotation can keep its promise. */
final class MethodRules {

    private MethodRules() {}

    /** Refuses a method whose work goes on after it has returned. */
    static void checkSignature(String place, Method method, Class<?> type) {
        Class<?> result = method.getReturnType();
        refuse(
                Future.class.isAssignableFrom(result)
                        || CompletionStage.class.isAssignableFrom(result)
                        || Flow.Publisher.class.isAssignableFrom(result)
                        || ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null,
                place,
                "its " + result.getSimpleName() + " is computed after the method has returned and the lock is released."
                        + " Wait for the result in the method, and return that");
        refuse(
                KotlinDetector.isSuspendingFunction(method),
                place,
                "a suspend function returns before its work is done. Annotate a function that blocks");
        refuse(
                AnnotatedElementUtils.hasAnnotation(method, Async.class)
                        || AnnotatedElementUtils.hasAnnotation(type, Async.class),
                place,
                "the work of an @Async method goes on after the lock is released."
                        + " Let the @Async method call a method of another bean that has the annotation");
        refuse(
                AnnotatedElementUtils.hasAnnotation(method, Locked.class)
                        && AnnotatedElementUtils.hasAnnotation(method, OncePer.class),
                place,
                "it has @Locked and @OncePer. @OncePer already keeps other callers out: leave @Locked out");
        refuse(
                AnnotatedElementUtils.hasAnnotation(method, OncePer.class) && result != void.class,
                place,
                "it must be void, because there is no result when the work is not due");
    }

    /** Refuses a transaction that does not begin and end with the method, or that cannot write. */
    static void checkTransaction(String place, TransactionAttribute transaction) {
        int propagation = transaction.getPropagationBehavior();
        refuse(
                propagation != TransactionDefinition.PROPAGATION_REQUIRED
                        && propagation != TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                place,
                "its transaction must begin and end with the method, so that the lock is released after the commit."
                        + " Use the propagation REQUIRED or REQUIRES_NEW");
        refuse(
                transaction.isReadOnly(),
                place,
                "a transaction that is readOnly cannot be guarded, because the guard locks a row."
                        + " Leave readOnly out, or leave @Transactional out for the lock alone");
    }

    /** Refuses a lock without a lease for a method that begins no transaction. */
    static void checkWithoutLease(String place, boolean transactional) {
        refuse(
                !transactional,
                place,
                "without a lease, the lock is the transaction's, and the method has none. Add @Transactional, or leave"
                        + " lease = false out");
    }

    /**
     * Refuses a bean whose proxy does not acquire the lock, or acquires it in the transaction.
     *
     * @param woven whether transactions need no proxy
     */
    static void checkProxy(String place, Method method, Object bean, boolean transactional, boolean woven) {
        int modifiers = method.getModifiers();
        refuse(
                Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers),
                place,
                "Spring cannot intercept a private, static or final method");
        refuse(
                !(bean instanceof Advised),
                place,
                "its bean has no proxy of Spring's, so the call cannot be intercepted: it was made too early, or by hand");
        AopUtils.selectInvocableMethod(method, bean.getClass());
        Advisor[] advisors = ((Advised) bean).getAdvisors();
        int lock = first(advisors, ExclusiveInterceptor.class);
        int transaction = first(advisors, TransactionAspectSupport.class);
        refuse(lock == advisors.length, place, "the proxy of its bean does not intercept it");
        refuse(
                transactional && !woven && transaction == advisors.length,
                place,
                "its transaction is never begun: annotation-driven transactions are off");
        refuse(
                transactional && transaction < lock,
                place,
                "the transaction begins before the lock is acquired. Leave order out of @EnableTransactionManagement");
    }

    private static int first(Advisor[] advisors, Class<?> advice) {
        int i = 0;
        while (i < advisors.length && !advice.isInstance(advisors[i].getAdvice())) {
            i++;
        }
        return i;
    }

    private static void refuse(boolean wrong, String place, String why) {
        if (wrong) {
            throw new IllegalStateException(place + ": " + why);
        }
    }
}
