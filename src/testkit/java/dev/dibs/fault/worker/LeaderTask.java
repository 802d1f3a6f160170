package dev.dibs.fault.worker;

import dev.dibs.Candidacy;
import dev.dibs.Lease;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Mode;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Is a candidate for a while, and leads if it is elected. */
final class LeaderTask implements Task {
    private static final Duration LONGEST = Duration.ofMillis(900);

    private final WorkerContext context;
    private Entry acquire;
    private @Nullable Holding reign;
    private @Nullable Lease over;

    LeaderTask(WorkerContext context) {
        this.context = context;
        this.acquire = stand();
    }

    @Override
    public void run() {
        acquire.invoke();
        Candidacy candidacy = context.dibs()
                .leadership(Workload.LEADER)
                .onElected(this::lead)
                .onStepDown(this::stepDown)
                .campaign();
        WorkerContext.sleep(context.upTo(LONGEST));
        candidacy.close();
        end();
    }

    private Entry stand() {
        return context.next(OperationKind.ACQUIRE, Workload.LEADER).mode(Mode.LOCK);
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
            reign = Holding.of(context, lease, acquire, Workload.LEADER);
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
            acquire.end(OperationState.FAIL);
        }
    }
}
