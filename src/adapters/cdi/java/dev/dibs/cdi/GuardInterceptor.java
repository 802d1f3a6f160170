package dev.dibs.cdi;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Guards the transaction that has begun since the lock was acquired, before the method runs. */
@Interceptor
@Exclusive
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 210)
class GuardInterceptor {

    private final DibsStart start;
    private final Transactions transactions;
    private final Enlistment enlistment;

    @Inject
    GuardInterceptor(DibsStart start, Transactions transactions, Enlistment enlistment) {
        this.start = start;
        this.transactions = transactions;
        this.enlistment = enlistment;
    }

    @AroundInvoke
    @Nullable
    Object call(InvocationContext call) throws Exception {
        ExclusiveMethod method = ExclusiveMethod.of(call);
        if (transactions.isThere()) {
            guard(method.place(), ExclusiveInterceptor.guard(call));
        } else if (method.isTransactional(call)) {
            throw new IllegalStateException(method.place()
                    + ": its transaction is never begun, because nothing here implements @Transactional."
                    + " Add a transaction manager, or leave @Transactional out for the lock alone");
        }
        return call.proceed();
    }

    private void guard(String place, ExclusiveInterceptor.Guard guard) throws SQLException {
        try (Connection connection = start.dataSource().getConnection()) {
            if (!enlistment.isOf(connection)) {
                throw new IllegalStateException(
                        place
                                + ": its transaction cannot be guarded, because the connections of the data source take no part in it."
                                + " Use a data source that knows the transaction manager, or leave @Transactional out for the lock alone");
            }
            guard.guard(connection);
        } catch (SQLException | RuntimeException | Error e) {
            // Also if the method's @Transactional names this exception in dontRollbackOn.
            transactions.setRollbackOnly(e);
            throw e;
        }
    }
}
