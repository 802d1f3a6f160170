package dev.dibs.fault.worker;

import dev.dibs.Lease;
import dev.dibs.fault.history.Act;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Mode;
import dev.dibs.fault.history.Stage;
import dev.dibs.once.OnceOutcome;
import java.sql.SQLException;
import java.time.Duration;

/** Does work once a period if it is due; sometimes it fails. */
final class OnceTask implements Task {
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final Hand hand;
    private final String name;
    private final Entry acquire;
    private Entry record;

    OnceTask(Hand hand) {
        this.hand = hand;
        this.name = hand.any(Workload.ONCES);
        this.acquire = hand.next(Act.ACQUIRE, name).mode(Mode.ONCE);
    }

    @Override
    public void run() throws SQLException {
        acquire.invoke();
        OnceOutcome outcome = null;
        try {
            outcome = hand.dibs()
                    .once(name)
                    .backoff(PAUSE, PAUSE)
                    .every(Workload.PERIOD)
                    .tryRun(this::work);
        } finally {
            if (record != null) {
                record.end(outcome == OnceOutcome.RAN ? Stage.OK : Stage.UNKNOWN);
            } else {
                acquire.end(Stage.FAIL);
            }
        }
    }

    private void work(Lease lease) throws SQLException {
        Holding holding = Holding.of(hand, lease, acquire, name);
        holding.write();
        record = holding.beginRecord();
        if (hand.chance(10)) {
            throw new SQLException("the work failed, as planned");
        }
    }
}
