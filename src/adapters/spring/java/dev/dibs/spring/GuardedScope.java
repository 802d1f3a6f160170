package dev.dibs.spring;

import java.sql.Connection;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A method that runs under a lock and begins a transaction. The guard is bound to the thread, as Spring's own resources are, until the
 * method returns. For one thread.
 */
final class GuardedScope {

    private static final Object KEY = GuardedScope.class;

    private final Guard guard;
    private @Nullable TransactionExecution guarded;
    private @Nullable Throwable failure;

    /** Locks for a transaction that has just begun, or throws. */
    interface Guard {
        void guard(Connection connection);
    }

    private GuardedScope(Guard guard) {
        this.guard = guard;
    }

    static @Nullable Object proceed(Guard guard, MethodInvocation method) throws Throwable {
        GuardedScope scope = new GuardedScope(guard);
        TransactionSynchronizationManager.bindResource(KEY, scope);
        try {
            return method.proceed();
        } catch (Throwable e) {
            // Spring may have failed to clean up after a begin that failed, and then throws that in its place.
            throw scope.failure == null ? e : scope.failure;
        } finally {
            TransactionSynchronizationManager.unbindResource(KEY);
        }
    }

    static boolean isOpen() {
        return TransactionSynchronizationManager.hasResource(KEY);
    }

    static @Nullable GuardedScope current() {
        return (GuardedScope) TransactionSynchronizationManager.getResource(KEY);
    }

    /**
     * Guards the transaction, unless an outer one is guarded: a second guard would wait for the first one.
     *
     * @throws RuntimeException if it is not guarded: roll back
     */
    void guard(TransactionExecution transaction, DataSource dataSource) {
        if ((guarded != null && !guarded.isCompleted()) || transaction.isReadOnly()) {
            return;
        }
        try {
            guard.guard(connection(dataSource));
        } catch (RuntimeException | Error e) {
            failure = e;
            throw e;
        }
        guarded = transaction;
    }

    /** That of the transaction: it is released when that ends. */
    private static Connection connection(DataSource dataSource) {
        if (!TransactionSynchronizationManager.hasResource(dataSource)) {
            throw new IllegalStateException(
                    "The transaction manager does not give out its connection, so the"
                            + " transaction cannot be guarded. A JpaTransactionManager needs a JpaDialect, such as Hibernate's");
        }
        return DataSourceUtils.getConnection(dataSource);
    }
}
