package dev.dibs.fault.worker;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Lease;
import dev.dibs.Leases;
import dev.dibs.NotAcquiredException;
import dev.dibs.Permit;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Mode;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Acquires a lease, works under it, and releases it: locks, several locks, both sides of a read-write lock, permits, transactions. */
final class LockTask implements Task {
    private static final Duration LONGEST_WAIT = Duration.ofMillis(300);

    private final WorkerContext context;
    private final String name;
    private final Mode mode;
    private final Function<Duration, Optional<Lease>> lock;

    private LockTask(WorkerContext context, String name, Mode mode, Function<Duration, Optional<Lease>> lock) {
        this.context = context;
        this.name = name;
        this.mode = mode;
        this.lock = lock;
    }

    static Task lock(WorkerContext context) {
        String name = context.any(Workload.LOCKS);
        return new LockTask(context, name, Mode.LOCK, context.dibs().lock(name)::tryAcquire);
    }

    static Task fair(WorkerContext context) {
        String name = context.any(Workload.FAIR_LOCKS);
        return new LockTask(context, name, Mode.LOCK, context.dibs().lock(name).fair()::tryAcquire);
    }

    /** It usually stays busy for longer than it is held. */
    static Task brief(WorkerContext context) {
        String name = context.any(Workload.HELD_LOCKS.keySet().stream().sorted().toList());
        Duration atLeast = Workload.HELD_LOCKS.get(name);
        return new LockTask(context, name, Mode.LOCK, context.dibs().lock(name).holdAtLeast(atLeast)::tryAcquire);
    }

    static Task reader(WorkerContext context) {
        String name = context.any(Workload.READ_WRITE_LOCKS);
        return new LockTask(
                context, name, Mode.READER, context.dibs().readWriteLock(name).read()::tryAcquire);
    }

    static Task writer(WorkerContext context) {
        String name = context.any(Workload.READ_WRITE_LOCKS);
        return new LockTask(
                context, name, Mode.WRITER, context.dibs().readWriteLock(name).write()::tryAcquire);
    }

    static Task permit(WorkerContext context) {
        String name = context.any(List.copyOf(Workload.SEMAPHORES.keySet()));
        int permits = Math.toIntExact(Workload.SEMAPHORES.get(name));
        return new LockTask(
                context,
                name,
                Mode.PERMIT,
                wait -> context.dibs().semaphore(name, permits).tryAcquire(wait).map(Lease.class::cast));
    }

    @Override
    public void run() {
        Entry acquire = context.next(OperationKind.ACQUIRE, name).mode(mode).invoke();
        Optional<Lease> granted;
        try {
            granted = lock.apply(context.upTo(LONGEST_WAIT));
        } catch (DatabaseFailureException e) {
            WorkerContext.failed(acquire, e);
            throw e;
        }
        if (granted.isEmpty()) {
            acquire.end(OperationState.FAIL);
            return;
        }
        try (Lease lease = granted.get()) {
            Holding holding = Holding.of(context, lease, acquire, ledger(lease));
            if (mode == Mode.READER) {
                holding.read();
            } else {
                holding.write();
            }
            holding.beginRelease();
        }
    }

    private String ledger(Lease lease) {
        return lease instanceof Permit permit ? name + "#" + permit.slot() : name;
    }

    /** Two locks at once. */
    static Task two(WorkerContext context) {
        List<String> names = List.of(Workload.LOCKS.get(1), Workload.LOCKS.get(2));
        return () -> {
            List<Entry> acquires = names.stream()
                    .map(name -> context.next(OperationKind.ACQUIRE, name)
                            .mode(Mode.LOCK)
                            .invoke())
                    .toList();
            Optional<Leases> granted = Optional.empty();
            try {
                granted = context.dibs().lockAll(names).tryAcquire(context.upTo(LONGEST_WAIT));
            } finally {
                if (granted.isEmpty()) {
                    acquires.forEach(acquire -> acquire.end(OperationState.FAIL));
                }
            }
            if (granted.isPresent()) {
                workUnderBoth(context, names, acquires, granted.get());
            }
        };
    }

    private static void workUnderBoth(WorkerContext context, List<String> names, List<Entry> acquires, Leases granted) {
        try (granted) {
            Holding one = Holding.of(context, granted.get(names.get(0)), acquires.get(0), names.get(0));
            Holding other = Holding.of(context, granted.get(names.get(1)), acquires.get(1), names.get(1));
            one.write();
            other.write();
            one.beginRelease();
            other.beginRelease();
        }
    }

    /** Writes in a transaction that has a lock without a lease, beside those that have leases on it. */
    static Task transaction(WorkerContext context) {
        String name = context.any(Workload.LOCKS);
        return () -> {
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
        };
    }

    /** An administrator takes a lock from its holder. */
    static Task breaking(WorkerContext context) {
        String name = context.any(Workload.allLocks());
        return () -> {
            Entry broken =
                    context.next(OperationKind.BREAK, name).mode(Mode.LOCK).invoke();
            OperationState state = OperationState.UNKNOWN;
            try {
                broken.value(context.dibs().admin().breakLock(name).isPresent());
                state = OperationState.OK;
            } finally {
                broken.end(state);
            }
        };
    }
}
