package dev.dibs.internal.time;

import dev.dibs.internal.values.Arguments;
import java.time.Duration;

/**
 * How long a holder may rely on its lease after one answer of the database.
 *
 * <p>It starts before the statement is sent, and ends a margin before the lease ends in the database. So the holder knows first. A
 * slow or lost answer only makes the term shorter.
 *
 * @param sentNanos monotonic time before the statement was sent, in nanoseconds
 * @param sentWall wall-clock time before the statement was sent, in milliseconds
 * @param lease the lease's length in milliseconds
 */
public record Term(LocalClock clock, long sentNanos, long sentWall, long lease) implements LeaseState {

    private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);
    private static final Duration SHORTEST_TIMED = Duration.ofMillis(50);
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);

    private static final long MARGIN_MILLIS = 20;
    private static final long MARGIN_SHARE = 100;

    /** Returns the lease length if it is within bounds: 100 milliseconds to one day. */
    public static Duration checkLease(Duration lease) {
        return Arguments.within("lease", lease, SHORTEST_LEASE, LONGEST_LEASE);
    }

    /** Returns the length of a lease that is not renewed if it is within bounds: 50 milliseconds to one day. */
    public static Duration checkTimed(Duration lease) {
        return Arguments.within("lease", lease, SHORTEST_TIMED, LONGEST_LEASE);
    }

    /** Returns how long a lock stays busy even if it is released, if it is within bounds: zero to one day. */
    public static Duration checkHold(Duration hold) {
        return Arguments.within("hold", hold, Duration.ZERO, LONGEST_LEASE);
    }

    /** A term that starts now: call it before the statement is sent. */
    public static Term from(LocalClock clock, long leaseMillis) {
        return new Term(clock, clock.nanos(), clock.wallMillis(), leaseMillis);
    }

    /** The margin covers the database's resolution of a millisecond, and a drift of up to 1 % between the clocks. */
    private long marginMillis() {
        return Math.max(MARGIN_MILLIS, lease / MARGIN_SHARE);
    }

    /** A term with the same start, and with the time that is left of the lease by a read of its row. */
    public Term withLease(long leftMillis) {
        return new Term(clock, sentNanos, sentWall, Math.min(lease, leftMillis));
    }

    /** How long ago it started. */
    public long ageNanos() {
        return clock.nanos() - sentNanos;
    }

    /** How long ago it started, rounded up. */
    public long ageMillis() {
        return ageNanos() / 1_000_000 + 1;
    }

    /** Whether less than a third of the lease is left. A renewal is due when two thirds are. */
    public boolean isNearlyOver() {
        return leftMillis() < lease / 3;
    }

    /** When to renew it, as monotonic time. */
    public long renewAtNanos() {
        return sentNanos + clock.nanosToRenewal(lease);
    }

    /** How long the lease lasts in the database at least, without the margin; rounded down. */
    public long leftMillis() {
        return lease - ageMillis();
    }

    public boolean isLaterThan(Term other) {
        return sentNanos - other.sentNanos > 0;
    }

    public long remainingNanos() {
        return sentNanos + Duration.ofMillis(lease - marginMillis()).toNanos() - clock.nanos();
    }

    public boolean isOver() {
        return remainingNanos() <= 0;
    }

    /**
     * Whether the wall clock ran ahead of the monotonic clock. Then the machine may have been suspended, and more of the lease is
     * over than the monotonic clock shows. Or the clock was set. Only the database can tell.
     */
    public boolean isInDoubt() {
        long byWall = clock.wallMillis() - sentWall;
        long byNanos = (clock.nanos() - sentNanos) / 1_000_000;
        return byWall - byNanos > marginMillis();
    }

    @Override
    public String text() {
        return isOver() ? "lost" : "held";
    }
}
