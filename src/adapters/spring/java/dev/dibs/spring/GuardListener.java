package dev.dibs.spring;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;

/**
 * Guards a transaction of one manager directly after its begin.
 *
 * <p>Spring does not expect that a listener throws: the transaction would stay bound to the thread. So it is rolled back here.
 */
record GuardListener(PlatformTransactionManager manager, DataSource dataSource)
        implements TransactionExecutionListener {

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        GuardedScope scope = GuardedScope.current();
        if (scope == null || failure != null) {
            return;
        }
        try {
            scope.guard(transaction, dataSource);
        } catch (RuntimeException | Error e) {
            rollBack((TransactionStatus) transaction, e);
            throw e;
        }
    }

    private void rollBack(TransactionStatus transaction, Throwable why) {
        try {
            manager.rollback(transaction);
        } catch (RuntimeException | Error e) {
            why.addSuppressed(e);
        }
    }
}
