package dev.dibs.spring;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Finds the transaction of a method, and the manager that begins it. */
final class MethodTransactions {

    private static final boolean WITH_JPA = ClassUtils.isPresent(
            "org.springframework.orm.jpa.JpaTransactionManager", MethodTransactions.class.getClassLoader());

    /** Spring's name for the aspect that begins transactions without a proxy. */
    private static final String ASPECT = "org.springframework.transaction.config.internalTransactionAspect";

    private final BeanFactory beans;

    MethodTransactions(BeanFactory beans) {
        this.beans = beans;
    }

    /** Whether transactions begin without a proxy. */
    boolean areWoven() {
        return beans.containsBean(ASPECT);
    }

    /** The transaction that the method begins; null if it has none. */
    @Nullable
    TransactionAttribute of(Method method, Class<?> type) {
        return beans.getBeanProvider(TransactionAttributeSource.class).stream()
                .map(source -> source.getTransactionAttribute(method, type))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(() -> new AnnotationTransactionAttributeSource(false).getTransactionAttribute(method, type));
    }

    /**
     * Sees to it that the manager of this transaction guards it.
     *
     * @throws IllegalStateException if it cannot
     */
    void guard(String place, TransactionAttribute transaction, Class<?> type) {
        TransactionManager manager = manager(transaction, type);
        DataSource dataSource = dataSource(manager);
        if (dataSource == null
                || !(manager instanceof ConfigurableTransactionManager configurable)
                || !(manager instanceof PlatformTransactionManager platform)) {
            throw new IllegalStateException(place + ": the transactions of a "
                    + manager.getClass().getName() + " cannot be guarded. Use a DataSourceTransactionManager,"
                    + " a JdbcTransactionManager or a JpaTransactionManager, or leave @Transactional out");
        }
        DibsDataSource dibs = beans.getBeanProvider(DibsDataSource.class).getIfAvailable();
        if (dibs != null && !DataSources.areSame(dibs.dataSource(), dataSource)) {
            throw new IllegalStateException(place + ": its transaction manager has another data source than Dibs."
                    + " A transaction can be guarded only in the database that has the tables of Dibs:"
                    + " name the other transaction manager, or define the bean Dibs over this data source");
        }
        GuardListener listener = new GuardListener(platform, dataSource);
        if (!configurable.getTransactionExecutionListeners().contains(listener)) {
            configurable.addListener(listener);
        }
    }

    /** As Spring finds it when the method is called. */
    private TransactionManager manager(TransactionAttribute transaction, Class<?> type) {
        String qualifier = transaction.getQualifier();
        if (!StringUtils.hasText(qualifier)) {
            qualifier = BeanFactoryAnnotationUtils.getQualifierValue(type);
        }
        if (StringUtils.hasText(qualifier)) {
            return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, qualifier);
        }
        return Optional.ofNullable(
                        beans.getBeanProvider(TransactionInterceptor.class).getIfAvailable())
                .map(TransactionInterceptor::getTransactionManager)
                .orElseGet(() -> beans.getBean(TransactionManager.class));
    }

    private static @Nullable DataSource dataSource(TransactionManager manager) {
        if (manager instanceof DataSourceTransactionManager jdbc) {
            return jdbc.getDataSource();
        }
        return WITH_JPA ? OfJpa.dataSource(manager) : null;
    }

    /** Loaded only by an application that has JPA. */
    private static final class OfJpa {

        static @Nullable DataSource dataSource(TransactionManager manager) {
            return manager instanceof JpaTransactionManager jpa ? jpa.getDataSource() : null;
        }
    }
}
