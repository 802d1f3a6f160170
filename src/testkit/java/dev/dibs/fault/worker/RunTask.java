package dev.dibs.fault.worker;

import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Works for a run for a while, in transactions, with an effect for each row; sometimes it fails. Any worker may pause it. */
final class RunTask implements Task {
    private static final Duration LONGEST = Duration.ofMillis(500);
    private static final Duration SHORT = Duration.ofMillis(20);

    /** Always the same: a start whose batch differs from that in the database says so in the log. */
    private static final int BATCH = 3;

    private final WorkerContext context;
    private final RowClaims<RowKey> claims;
    private final Run run;

    RunTask(WorkerContext context, RowClaims<RowKey> claims) {
        this.context = context;
        this.claims = claims;
        this.run = context.dibs().run(Workload.RUN);
    }

    @Override
    public void run() {
        Entry worked = context.next(OperationKind.RUN, Workload.RUN).invoke();
        OperationState state = OperationState.UNKNOWN;
        RunWorkers<RowKey> workers = run.over(claims)
                .batch(BATCH)
                .maxAttempts(1_000)
                .backoff(SHORT, SHORT.multipliedBy(5))
                .pollEvery(SHORT)
                .workInTransaction(this::work);
        try {
            workers.start();
            state = OperationState.OK;
            if (context.chance(10)) {
                run.pause("to see whether it stops");
            }
            WorkerContext.sleep(context.upTo(LONGEST));
            if (context.chance(50)) {
                run.resume("whoever has paused it may have died");
            }
        } finally {
            workers.close();
            worked.end(state);
        }
    }

    /** Its outcome is not known here: the effect shows it. */
    private void work(RowKey key, Connection tx) throws SQLException {
        String target = Tables.target(Tables.RUN_JOB, key.asLong());
        Entry complete = context.next(OperationKind.COMPLETE_IN_TRANSACTION, Tables.RUN_JOB)
                .value(target)
                .invoke();
        Tables.effect(tx, target, complete.op());
        if (context.chance(5)) {
            throw new SQLException("the work failed, as planned");
        }
        WorkerContext.sleep(context.upTo(context.chance(5) ? LONGEST : Duration.ofMillis(5)));
    }
}
