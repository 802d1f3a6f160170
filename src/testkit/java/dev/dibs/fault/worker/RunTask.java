package dev.dibs.fault.worker;

import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.fault.history.Act;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Stage;
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

    private final Hand hand;
    private final RowClaims<RowKey> claims;
    private final Run run;

    RunTask(Hand hand, RowClaims<RowKey> claims) {
        this.hand = hand;
        this.claims = claims;
        this.run = hand.dibs().run(Workload.RUN);
    }

    @Override
    public void run() {
        Entry worked = hand.next(Act.RUN, Workload.RUN).invoke();
        Stage stage = Stage.UNKNOWN;
        RunWorkers<RowKey> workers = run.over(claims)
                .batch(BATCH)
                .maxAttempts(1_000)
                .backoff(SHORT, SHORT.multipliedBy(5))
                .pollEvery(SHORT)
                .workInTransaction(this::work);
        try {
            workers.start();
            stage = Stage.OK;
            if (hand.chance(10)) {
                run.pause("to see whether it stops");
            }
            Hand.sleep(hand.upTo(LONGEST));
            if (hand.chance(50)) {
                run.resume("whoever has paused it may have died");
            }
        } finally {
            workers.close();
            worked.end(stage);
        }
    }

    /** Its outcome is not known here: the effect shows it. */
    private void work(RowKey key, Connection tx) throws SQLException {
        String target = Tables.target(Tables.RUN_JOB, key.asLong());
        Entry complete = hand.next(Act.COMPLETE_IN_TRANSACTION, Tables.RUN_JOB)
                .value(target)
                .invoke();
        Tables.effect(tx, target, complete.op());
        if (hand.chance(5)) {
            throw new SQLException("the work failed, as planned");
        }
        Hand.sleep(hand.upTo(hand.chance(5) ? LONGEST : Duration.ofMillis(5)));
    }
}
