package dev.dibs.fault.worker;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Mode;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Acquires locks on more threads than send at once, so that some go together in a batch. Some are interrupted, perhaps the one that sends
 * for the others: it alone may fail because of that.
 */
final class CrowdTask implements Task {
    private static final int CALLERS = 16;
    private static final Duration MOMENT = Duration.ofMillis(4);

    private final WorkerContext context;
    private final List<Caller> callers;

    private CrowdTask(WorkerContext context, List<Caller> callers) {
        this.context = context;
        this.callers = callers;
    }

    /** Each caller wants a lock of its own, which other workers may have. */
    static Task crowd(WorkerContext context) {
        List<Caller> callers = new ArrayList<>();
        for (int i = 1; i <= CALLERS; i++) {
            String name = "crowd-" + i;
            callers.add(new Caller(context, context.dibs(), name, name, "crowd"));
        }
        return new CrowdTask(context, callers);
    }

    /** Callers of all tenants want the same few names, each in the database of its tenant. */
    static Task routed(WorkerContext context, Dibs routed) {
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            String tenant = Tenants.NAMES.get(i % Tenants.NAMES.size());
            String name = Workload.ROUTED_LOCKS.get(i / Tenants.NAMES.size() % Workload.ROUTED_LOCKS.size());
            callers.add(new Caller(context, routed, name, tenant + "/" + name, tenant));
        }
        return new CrowdTask(context, callers);
    }

    @Override
    public void run() {
        callers.forEach(caller -> caller.thread.start());
        while (callers.stream().anyMatch(caller -> caller.thread.isAlive())) {
            WorkerContext.sleep(context.upTo(MOMENT));
            if (context.chance(30)) {
                context.any(callers).interrupt();
            }
        }
        callers.forEach(Caller::requireExpected);
    }

    /** A thread that acquires a lock once, and releases it. */
    private static final class Caller {
        private final WorkerContext context;
        private final Dibs dibs;
        private final String name;
        private final Entry acquire;
        private final FutureTask<Void> work;
        private final Thread thread;

        /** With the lock's name in the history. */
        Caller(WorkerContext context, Dibs dibs, String name, String known, String thread) {
            this.context = context;
            this.dibs = dibs;
            this.name = name;
            this.acquire = context.next(OperationKind.ACQUIRE, known).mode(Mode.LOCK);
            this.work = new FutureTask<>(this::work, null);
            this.thread = new Thread(work, thread);
        }

        private void work() {
            acquire.invoke();
            Optional<Lease> granted;
            try {
                granted = dibs.lock(name).tryAcquire();
            } catch (DatabaseFailureException | NotAcquiredException e) {
                WorkerContext.failed(acquire, e);
                return;
            }
            if (granted.isEmpty()) {
                acquire.end(OperationState.FAIL);
                return;
            }
            try (Lease lease = granted.get()) {
                Holding holding = Holding.of(context, lease, acquire, name);
                WorkerContext.sleep(context.upTo(MOMENT));
                holding.check();
                holding.beginRelease();
            }
        }

        /** Recorded before, so that whatever it causes comes later. */
        void interrupt() {
            if (thread.isAlive()) {
                Entry interrupt = context.next(OperationKind.INTERRUPT, name)
                        .claim(acquire.op())
                        .invoke();
                thread.interrupt();
                interrupt.end(OperationState.OK);
            }
        }

        void requireExpected() {
            try {
                work.get();
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
