package dev.dibs.spring;

import dev.dibs.Dibs;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.NamedBeanHolder;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * The annotated methods of all beans. A method that cannot keep the promise of its annotation is refused: at the end of the start, or when
 * a bean is made later. Safe for use by any thread.
 */
final class ExclusiveMethods implements BeanPostProcessor, SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;
    private final MethodTransactions transactions;
    private final Map<MethodClassKey, ExclusiveMethod> known = new ConcurrentHashMap<>();

    /** Beans that are checked at the end of the start: until then their final proxy may be missing. */
    private final Set<String> unchecked = ConcurrentHashMap.newKeySet();

    /** Of a name that a method with {@link OncePer} has by default, the method. */
    private final Map<String, Named> names = new ConcurrentHashMap<>();

    private volatile boolean started;
    private volatile @Nullable Dibs dibs;

    private record Named(String bean, Method method) {}

    ExclusiveMethods(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
        transactions = new MethodTransactions(beans);
    }

    static boolean isAnnotated(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, Locked.class)
                || AnnotatedElementUtils.hasAnnotation(method, OncePer.class);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (!annotated(bean).isEmpty()) {
            if (!started && beans.containsBeanDefinition(name) && beans.isSingleton(name)) {
                unchecked.add(name);
            } else {
                check(bean, name);
            }
        }
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        started = true;
        for (String name : unchecked) {
            check(beans.getBean(name), name);
        }
        unchecked.clear();
    }

    /** What the annotation of this method asks for. */
    ExclusiveMethod of(Method method, Class<?> type) {
        MethodClassKey key = new MethodClassKey(method, type);
        ExclusiveMethod exclusive = known.get(key);
        if (exclusive == null) {
            exclusive = read(method, type);
            known.put(key, exclusive);
        }
        return exclusive;
    }

    private static Set<Method> annotated(Object bean) {
        Class<?> type = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
        return AnnotationUtils.isCandidateClass(type, List.of(Locked.class, OncePer.class))
                ? MethodIntrospector.selectMethods(type, ExclusiveMethods::isAnnotated)
                : Set.of();
    }

    private void check(Object bean, String name) {
        Class<?> type = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
        for (Method method : annotated(bean)) {
            String place = of(method, type).place();
            boolean transactional = transactions.of(method, type) != null;
            MethodRules.checkProxy(place, method, bean, transactional, transactions.areWoven());
            checkName(place, method, type, name);
        }
    }

    /** Refuses two methods of one name: the second one would never run. */
    private void checkName(String place, Method method, Class<?> type, String bean) {
        OncePer oncePer = AnnotatedElementUtils.findMergedAnnotation(method, OncePer.class);
        if (oncePer == null || !oncePer.name().isEmpty()) {
            return;
        }
        Named mine = new Named(bean, method);
        Named other = names.putIfAbsent(name(method, type), mine);
        if (other != null && !other.equals(mine)) {
            throw new IllegalStateException(place + ": " + other.method() + " of the bean " + other.bean()
                    + " has the same name by default, and each period only one of them would run."
                    + " Give each a name, or make one bean of them: @OncePer(value = \"P1D\", name = \"..\")");
        }
    }

    private static String name(Method method, Class<?> type) {
        return type.getName() + "." + method.getName();
    }

    private ExclusiveMethod read(Method method, Class<?> type) {
        Locked locked = AnnotatedElementUtils.findMergedAnnotation(method, Locked.class);
        OncePer oncePer = AnnotatedElementUtils.findMergedAnnotation(method, OncePer.class);
        String place =
                (locked == null ? "@OncePer" : "@Locked") + " at " + type.getName() + "." + method.getName() + "()";
        MethodRules.checkSignature(place, method, type);
        if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, Dibs.class).length == 0) {
            throw new IllegalStateException(
                    place + ": there is no bean Dibs, because there is no DataSource. Set spring.datasource.url");
        }
        boolean transactional = isTransactional(place, method, type);
        try {
            return locked != null
                    ? underLock(place, locked, method, transactional)
                    : oncePer(place, oncePer, method, type, transactional);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(place + ": " + e.getMessage(), e);
        }
    }

    private boolean isTransactional(String place, Method method, Class<?> type) {
        TransactionAttribute transaction = transactions.of(method, type);
        if (transaction == null) {
            return false;
        }
        MethodRules.checkTransaction(place, transaction);
        transactions.guard(place, transaction, type);
        return true;
    }

    private ExclusiveMethod underLock(String place, Locked locked, Method method, boolean transactional) {
        String text = resolved(locked.key());
        String name = resolved(locked.value());
        LockKey key = text.isEmpty() ? null : LockKey.parse(place, text, method);
        Duration longest = duration(place, locked.waitFor());
        if (!locked.lease()) {
            MethodRules.checkWithoutLease(place, transactional);
            return new ExclusiveMethod.ByTransaction(place, this::dibs, name, key, longest);
        }
        return new ExclusiveMethod.UnderLock(place, this::dibs, name, key, longest, transactional);
    }

    private ExclusiveMethod oncePer(
            String place, OncePer oncePer, Method method, Class<?> type, boolean transactional) {
        String name = oncePer.name().isEmpty() ? name(method, type) : resolved(oncePer.name());
        Duration period = duration(place, oncePer.value());
        return new ExclusiveMethod.OnceAPeriod(place, dibs().once(name).every(period), transactional);
    }

    /** Asks for the bean once if that is a singleton, or the proxy of a bean of another scope; else at each call. */
    private Dibs dibs() {
        Dibs known = dibs;
        if (known == null) {
            NamedBeanHolder<Dibs> bean = beans.resolveNamedBean(Dibs.class);
            known = bean.getBeanInstance();
            if (beans.isSingleton(bean.getBeanName())) {
                dibs = known;
            }
        }
        return known;
    }

    private String resolved(String text) {
        String resolved = beans.resolveEmbeddedValue(text);
        return resolved == null ? "" : resolved;
    }

    private Duration duration(String place, String text) {
        String resolved = resolved(text);
        try {
            if (!StringUtils.hasText(resolved.replaceAll("[0-9]", ""))) {
                throw new IllegalArgumentException("it has no unit");
            }
            return DurationStyle.detectAndParse(resolved);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    place + ": '" + resolved + "' is no duration, such as 5s, PT5S or P30D: " + e.getMessage(), e);
        }
    }
}
