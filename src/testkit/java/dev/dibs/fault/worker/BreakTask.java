package dev.dibs.fault.worker;

import dev.dibs.fault.history.Act;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Mode;
import dev.dibs.fault.history.Stage;

/** An administrator takes a lock from its holder. */
final class BreakTask implements Task {
    private final Hand hand;

    BreakTask(Hand hand) {
        this.hand = hand;
    }

    @Override
    public void run() {
        String name = hand.any(Workload.allLocks());
        Entry broken = hand.next(Act.BREAK, name).mode(Mode.LOCK).invoke();
        Stage stage = Stage.UNKNOWN;
        try {
            broken.value(hand.dibs().admin().breakLock(name).isPresent());
            stage = Stage.OK;
        } finally {
            broken.end(stage);
        }
    }
}
