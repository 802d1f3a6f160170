package dev.dibs.fault.worker;

import dev.dibs.DatabaseFailureException;
import dev.dibs.NotAcquiredException;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import java.sql.SQLException;
import java.time.Duration;

/** Writes in a transaction that has a lock without a lease, beside those that have leases on it. */
record TransactionTask(WorkerContext context) implements Task {
    private static final Duration LONGEST_WAIT = Duration.ofMillis(300);

    @Override
    public void run() {
        String name = context.any(Workload.LOCKS);
        Entry write = context.next(OperationKind.WRITE, name).invoke();
        try {
            boolean done = context.dibs()
                    .lock(name)
                    .tryInTransaction(context.dataSource(), context.upTo(LONGEST_WAIT), tx -> {
                        write.value(Tables.append(tx, name, Tables.lastFence(tx, name), write.op()));
                        if (context.chance(5)) {
                            context.dawdle();
                        }
                    });
            write.end(done ? OperationState.OK : OperationState.FAIL);
        } catch (NotAcquiredException | SQLException e) {
            write.value(e.getMessage()).end(OperationState.FAIL);
        } catch (DatabaseFailureException e) {
            write.value(e.getMessage()).end(OperationState.UNKNOWN);
        }
    }
}
