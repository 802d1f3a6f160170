package dev.dibs.fault.worker;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Lease;
import dev.dibs.Leases;
import dev.dibs.Permit;
import dev.dibs.fault.history.Act;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Mode;
import dev.dibs.fault.history.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Acquires a lease, works under it, and releases it: locks, several locks, both sides of a read-write lock, permits. */
final class LockTask implements Task {
    private static final Duration LONGEST_WAIT = Duration.ofMillis(300);

    private final Hand hand;
    private final String name;
    private final Mode mode;
    private final Function<Duration, Optional<Lease>> lock;

    private LockTask(Hand hand, String name, Mode mode, Function<Duration, Optional<Lease>> lock) {
        this.hand = hand;
        this.name = name;
        this.mode = mode;
        this.lock = lock;
    }

    static Task lock(Hand hand) {
        String name = hand.any(Workload.LOCKS);
        return new LockTask(hand, name, Mode.LOCK, hand.dibs().lock(name)::tryAcquire);
    }

    static Task fair(Hand hand) {
        String name = hand.any(Workload.FAIR_LOCKS);
        return new LockTask(hand, name, Mode.LOCK, hand.dibs().lock(name).fair()::tryAcquire);
    }

    /** It usually stays busy for longer than it is held. */
    static Task brief(Hand hand) {
        String name = hand.any(Workload.HELD_LOCKS.keySet().stream().sorted().toList());
        Duration atLeast = Workload.HELD_LOCKS.get(name);
        return new LockTask(hand, name, Mode.LOCK, hand.dibs().lock(name).holdAtLeast(atLeast)::tryAcquire);
    }

    static Task reader(Hand hand) {
        String name = hand.any(Workload.READ_WRITE_LOCKS);
        return new LockTask(
                hand, name, Mode.READER, hand.dibs().readWriteLock(name).read()::tryAcquire);
    }

    static Task writer(Hand hand) {
        String name = hand.any(Workload.READ_WRITE_LOCKS);
        return new LockTask(
                hand, name, Mode.WRITER, hand.dibs().readWriteLock(name).write()::tryAcquire);
    }

    static Task permit(Hand hand) {
        String name = hand.any(List.copyOf(Workload.SEMAPHORES.keySet()));
        int permits = Math.toIntExact(Workload.SEMAPHORES.get(name));
        return new LockTask(
                hand,
                name,
                Mode.PERMIT,
                wait -> hand.dibs().semaphore(name, permits).tryAcquire(wait).map(Lease.class::cast));
    }

    @Override
    public void run() {
        Entry acquire = hand.next(Act.ACQUIRE, name).mode(mode).invoke();
        Optional<Lease> granted;
        try {
            granted = lock.apply(hand.upTo(LONGEST_WAIT));
        } catch (DatabaseFailureException e) {
            Hand.failed(acquire, e);
            throw e;
        }
        if (granted.isEmpty()) {
            acquire.end(Stage.FAIL);
            return;
        }
        try (Lease lease = granted.get()) {
            Holding holding = Holding.of(hand, lease, acquire, ledger(lease));
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
    static Task two(Hand hand) {
        List<String> names = List.of(Workload.LOCKS.get(1), Workload.LOCKS.get(2));
        return () -> {
            List<Entry> acquires = names.stream()
                    .map(name -> hand.next(Act.ACQUIRE, name).mode(Mode.LOCK).invoke())
                    .toList();
            Optional<Leases> granted = Optional.empty();
            try {
                granted = hand.dibs().lockAll(names).tryAcquire(hand.upTo(LONGEST_WAIT));
            } finally {
                if (granted.isEmpty()) {
                    acquires.forEach(acquire -> acquire.end(Stage.FAIL));
                }
            }
            if (granted.isPresent()) {
                workUnderBoth(hand, names, acquires, granted.get());
            }
        };
    }

    private static void workUnderBoth(Hand hand, List<String> names, List<Entry> acquires, Leases granted) {
        try (granted) {
            Holding one = Holding.of(hand, granted.get(names.get(0)), acquires.get(0), names.get(0));
            Holding other = Holding.of(hand, granted.get(names.get(1)), acquires.get(1), names.get(1));
            one.write();
            other.write();
            one.beginRelease();
            other.beginRelease();
        }
    }
}
