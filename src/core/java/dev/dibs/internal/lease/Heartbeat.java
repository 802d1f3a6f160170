package dev.dibs.internal.lease;

import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.BackgroundLoop;
import dev.dibs.internal.time.LocalClock;
import dev.dibs.internal.time.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Renews the leases of one instance, many in a statement.
 *
 * <ol>
 *   <li>A lease is due a third of its length after its last renewal was sent.
 *   <li>When one is due, all leases of its kind and length are renewed with it that are at least half way to their time. So leases that
 *       were acquired at different times are soon renewed by one statement.
 *   <li>A lease that does not come back from the statement is looked up without a row lock. If it is still ours, a guarded transaction has
 *       the row; it is tried again soon. Else it is lost.
 *   <li>A statement that fails is sent again soon and often. Only the deadline ends a lease that cannot be renewed.
 * </ol>
 *
 * <p>A {@linkplain LeaseKind#isRenewed timed} lease is not renewed. It is looked up if its user is in doubt.
 *
 * <p>For one thread.
 */
record Heartbeat(Database database, Collection<HeldLease> held, Events events, LocalClock clock) {

    static final String NOT_OURS =
            "the database says that it is not ours any more; it was taken over or broken, or it has expired";

    /** A larger batch would not get a better plan, and one error would fail more leases. */
    private static final int BATCH = 1_000;

    private static final long SHORTEST_TIMEOUT_MILLIS = 100;
    private static final long LONGEST_TIMEOUT_MILLIS = 10_000;

    /** When to renew a lease of that term, as monotonic time. A timed lease is only looked up, when its user is in doubt. */
    static long next(HeldLease lease, Term term) {
        return lease.kind().isRenewed() ? term.renewAtNanos() : term.sentNanos() + BackgroundLoop.NEVER / 2;
    }

    /**
     * Renews one batch, if a lease is due. Returns the nanoseconds until the next one is due: 0 for the next batch, so that a shorter lease
     * that becomes due meanwhile can be renewed in between.
     */
    long round() {
        if (nextDue() <= 0) {
            renew(nextBatch());
        }
        return nextDue();
    }

    private long nextDue() {
        long now = clock.nanos();
        return held.stream().mapToLong(lease -> lease.renewAt - now).min().orElse(BackgroundLoop.NEVER);
    }

    /** The due lease that has the least time left, and those that are renewed with it. */
    private List<HeldLease> nextBatch() {
        long now = clock.nanos();
        HeldLease first = held.stream()
                .filter(lease -> lease.renewAt - now <= 0)
                .min(Comparator.comparingLong(Heartbeat::remaining))
                .orElse(null);
        if (first == null) {
            return List.of();
        }
        long length = first.length();
        LeaseKind kind = first.kind();
        long halfWay = now + clock.nanosToRenewal(length) / 2;
        return held.stream()
                .filter(lease -> lease.kind() == kind && lease.length() == length && lease.renewAt - halfWay <= 0)
                .sorted(Comparator.comparingLong(lease -> lease.renewAt - now))
                .limit(BATCH)
                .toList();
    }

    private static long remaining(HeldLease lease) {
        Term term = lease.term();
        return term == null ? 0 : term.remainingNanos();
    }

    /** A statement that hangs must end before its own leases do, and before any lease that waits for the next batch. */
    private Duration timeout() {
        long millis = LONGEST_TIMEOUT_MILLIS;
        for (HeldLease lease : held) {
            if (!lease.kind().isRenewed()) {
                continue;
            }
            long left = TimeUnit.NANOSECONDS.toMillis(remaining(lease));
            millis = Math.min(millis, Math.min(lease.length(), left) / 3);
        }
        return Duration.ofMillis(Math.max(SHORTEST_TIMEOUT_MILLIS, millis));
    }

    private void renew(List<HeldLease> batch) {
        if (batch.isEmpty()) {
            return;
        }
        long length = batch.get(0).length();
        LeaseKind kind = batch.get(0).kind();
        LeaseKeys keys = new LeaseKeys(batch.stream().map(HeldLease::key).toList());
        Term term = Term.from(clock, length);
        // Cleared before the answer: a request for a renewal that comes meanwhile must not be forgotten.
        batch.forEach(lease -> {
            lease.renewAt = next(lease, term);
            lease.isBeingRenewed = true;
        });
        boolean answered = false;
        try {
            Set<String> renewed = kind.isRenewed() ? kind.renew(database, keys, length, timeout()) : Set.of();
            List<HeldLease> missing = new ArrayList<>();
            for (HeldLease lease : batch) {
                if (renewed.contains(lease.owner())) {
                    extend(lease, term);
                } else {
                    missing.add(lease);
                }
            }
            lookUp(kind, missing, term);
            answered = true;
        } catch (SqlFailure e) {
            batch.forEach(lease -> lease.failedRenewal = e);
            events.renewalFailed(batch.size(), e);
        } finally {
            if (!answered) {
                // After an error of this thread, too.
                batch.forEach(this::retrySoon);
            }
            batch.forEach(lease -> lease.isBeingRenewed = false);
        }
    }

    private void extend(HeldLease lease, Term renewal) {
        Term before = lease.term();
        if (before != null && before.isNearlyOver()) {
            events.lateRenewals.increment();
        }
        lease.extend(renewal);
        lease.failedRenewal = null;
    }

    private void lookUp(LeaseKind kind, List<HeldLease> missing, Term term) throws SqlFailure {
        // A lease that was closed meanwhile is not lost.
        List<HeldLease> open = missing.stream().filter(lease -> !lease.isOver()).toList();
        if (open.isEmpty()) {
            return;
        }
        LeaseKeys keys = new LeaseKeys(open.stream().map(HeldLease::key).toList());
        Map<String, LeaseRow> ours = kind.find(database, keys, timeout());
        for (HeldLease lease : open) {
            LeaseRow row = ours.get(lease.owner());
            if (row == null) {
                lease.lose(NOT_OURS);
            } else if (kind.isRenewed()) {
                retrySoon(lease);
            } else {
                lease.extend(row.left(term, database.tolerance()));
            }
        }
    }

    private void retrySoon(HeldLease lease) {
        RetryPolicy.Delays bounds = RetryPolicy.RENEWAL;
        long wait =
                Math.min(bounds.longest().toMillis(), Math.max(bounds.first().toMillis(), lease.length() / 30));
        lease.renewAt = clock.nanos()
                + TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(wait / 2, wait + 1));
    }
}
