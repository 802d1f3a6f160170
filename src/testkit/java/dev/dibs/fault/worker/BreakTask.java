package dev.dibs.fault.worker;

import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Mode;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;

/** An administrator takes a lock from its holder. */
final class BreakTask implements Task {
    private final WorkerContext context;

    BreakTask(WorkerContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        String name = context.any(Workload.allLocks());
        Entry broken = context.next(OperationKind.BREAK, name).mode(Mode.LOCK).invoke();
        OperationState state = OperationState.UNKNOWN;
        try {
            broken.value(context.dibs().admin().breakLock(name).isPresent());
            state = OperationState.OK;
        } finally {
            broken.end(state);
        }
    }
}
