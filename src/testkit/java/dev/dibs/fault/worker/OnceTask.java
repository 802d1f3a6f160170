package dev.dibs.fault.worker;

import dev.dibs.Lease;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Mode;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import dev.dibs.once.OnceOutcome;
import java.sql.SQLException;
import java.time.Duration;

/** Does work once a period if it is due; sometimes it fails. */
final class OnceTask implements Task {
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final WorkerContext context;
    private final String name;
    private final Entry acquire;
    private Entry record;

    OnceTask(WorkerContext context) {
        this.context = context;
        this.name = context.any(Workload.ONCES);
        this.acquire = context.next(OperationKind.ACQUIRE, name).mode(Mode.ONCE);
    }

    @Override
    public void run() throws SQLException {
        acquire.invoke();
        OnceOutcome outcome = null;
        try {
            outcome = context.dibs()
                    .once(name)
                    .backoff(PAUSE, PAUSE)
                    .every(Workload.PERIOD)
                    .tryRun(this::work);
        } finally {
            if (record != null) {
                record.end(outcome == OnceOutcome.RAN ? OperationState.OK : OperationState.UNKNOWN);
            } else {
                acquire.end(OperationState.FAIL);
            }
        }
    }

    private void work(Lease lease) throws SQLException {
        Holding holding = Holding.of(context, lease, acquire, name);
        holding.write();
        record = holding.beginRecord();
        if (context.chance(10)) {
            throw new SQLException("the work failed, as planned");
        }
    }
}
