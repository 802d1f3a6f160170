package dev.dibs.fault.worker;

import dev.dibs.Candidacy;
import dev.dibs.Lease;
import dev.dibs.fault.history.Act;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Mode;
import dev.dibs.fault.history.Stage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Is a candidate for a while, and leads if it is elected. */
final class LeaderTask implements Task {
    private static final Duration LONGEST = Duration.ofMillis(900);

    private final Hand hand;
    private Entry acquire;
    private @Nullable Holding reign;
    private @Nullable Lease over;

    LeaderTask(Hand hand) {
        this.hand = hand;
        this.acquire = stand();
    }

    @Override
    public void run() {
        acquire.invoke();
        Candidacy candidacy = hand.dibs()
                .leadership(Workload.LEADER)
                .onElected(this::lead)
                .onStepDown(this::stepDown)
                .campaign();
        Hand.sleep(hand.upTo(LONGEST));
        candidacy.close();
        end();
    }

    private Entry stand() {
        return hand.next(Act.ACQUIRE, Workload.LEADER).mode(Mode.LOCK);
    }

    private void lead(Lease lease) {
        Holding holding = begin(lease);
        if (holding == null) {
            return;
        }
        try {
            holding.write();
        } catch (IllegalStateException e) {
            // The candidacy was closed meanwhile, and the lease with it.
            return;
        }
    }

    /** A lead may be over before it has begun. */
    private synchronized @Nullable Holding begin(Lease lease) {
        if (lease != over) {
            reign = Holding.of(hand, lease, acquire, Workload.LEADER);
            return reign;
        }
        return null;
    }

    /** It comes before the next election, unless the lease was lost. */
    private synchronized void stepDown(Lease lease) {
        over = lease;
        if (reign != null) {
            reign.beginRelease();
            reign = null;
            acquire = stand().invoke();
        }
    }

    /** A candidate that was not elected, or not again, has nothing to record. */
    private synchronized void end() {
        if (reign == null) {
            acquire.end(Stage.FAIL);
        }
    }
}
