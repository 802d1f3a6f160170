package dev.dibs.internal.retry;

import dev.dibs.internal.sql.errors.SqlFailure.Outcome;
import dev.dibs.internal.time.LocalClock;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How often and for how long a call is sent again: all numbers, with their reasons.
 *
 * <p>What happens to an answer that was lost:
 *
 * <ul>
 *   <li>An acquire or a claim is looked up by its owner token ({@link Retry#afterLostAnswer}). Found: it is ours. Not found: the
 *       statement may still be on its way, so its token is abandoned for good and released in the background. An acquire is then
 *       sent with a fresh token, while its caller waits. A claim ends with an exception.
 *   <li>A change under an owner token does no harm if it is sent twice: a release, a renewal, a completion, the outcome of once, the
 *       use of a token. It is sent again as it was.
 *   <li>A statement that only reads leaves nothing in doubt.
 *   <li>A worker of a run reads its counts, which the same transaction writes: they show whether it was committed.
 * </ul>
 *
 * <p>Below all of this, {@code sql.call.Sending} sends a refused statement again: once with its texts in ASCII, and some times if a table was
 * changed after it was prepared.
 *
 * <p>In a transaction of the caller nothing is sent again. An interrupt ends a wait between two tries ({@link Retry#run}), except
 * where the outcome must be known ({@link Retry#uninterrupted}).
 *
 * @param patience how long the caller waits for an answer
 * @param grace how long statements are repeated that the database rolled back, if that is longer
 * @param tries how often it is sent at most
 * @param again the failures after which it is sent again
 */
public record RetryPolicy(Duration patience, Duration grace, int tries, Set<Outcome> again) {

    /** Pauses between tries: they double, from the first to the longest. */
    public record Delays(Duration first, Duration longest) {}

    /** Between two tries of a call. A collision is over sooner than the longest. */
    public static final Delays CALL = new Delays(Duration.ofMillis(5), Duration.ofMillis(100));

    /**
     * In the background, the release of tokens that nobody relies on: for one lease length. The row may be locked by our own renewal for a
     * moment, or by a guarded transaction for long.
     */
    public static final Delays PENDING_RELEASE = new Delays(Duration.ofMillis(5), Duration.ofSeconds(2));

    /** In the background, a renewal that failed: a 30th of the lease within these bounds, so that many tries fit into the lease. */
    public static final Delays RENEWAL = new Delays(Duration.ofMillis(20), Duration.ofMillis(500));

    /** In the background, the connection that listens for releases. Meanwhile waiters poll, so nobody waits for it. */
    public static final Delays LISTENER = new Delays(Duration.ofMillis(250), Duration.ofMinutes(1));

    /** A worker of a run, while the database is away. */
    public static final Delays RUN_OUTAGE = new Delays(Duration.ofMillis(50), Duration.ofSeconds(5));

    /** In the background, a renewal of claims that failed, and the release of claims that nobody relies on. */
    public static final Duration CLAIM_PAUSE = Duration.ofMillis(200);

    /** The release of claims that do not end by time, once they are late. */
    public static final Delays CLAIM_OVERDUE = new Delays(Duration.ofSeconds(5), Duration.ofMinutes(5));

    /** How long a claim without an answer may still be on its way. */
    public static final Duration CLAIM_ABANDONED = Duration.ofSeconds(30);

    /**
     * A worker of a run ends after so many refusals in a row, or batches in a row of which no row could be completed. A missing right may
     * be granted in a moment.
     */
    public static final int RUN_REFUSALS = 5;

    /** It also ends after so many records of failed attempts were refused. Those that were accepted in between do not count. */
    public static final int RUN_UNRECORDED = 5;

    /** And after so many batches in a row of which it lost every row: something else ends its claims. */
    public static final int RUN_LOSSES = 5;

    /** The release of claimed rows that are no longer to be processed. One that is locked each time is left to expire. */
    public static final int DONE_ROWS = 3;

    /** A candidate for a leadership, after a failed acquire. */
    public static final Duration CANDIDACY_PAUSE = Duration.ofMillis(500);

    /** At least this many tries after collisions, because on a loaded machine one statement may take longer than the grace. */
    static final int FEWEST_TRIES = 3;

    /** A caller that does not wait has no more time than that for collisions. */
    private static final Duration LONGEST_GRACE = Duration.ofSeconds(1);

    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    private static final Set<Outcome> NEVER = Set.of();
    private static final Set<Outcome> ROLLED_BACK = Set.of(Outcome.ROLLED_BACK);
    private static final Set<Outcome> UNLESS_REFUSED =
            Set.of(Outcome.NOT_SENT, Outcome.ROLLED_BACK, Outcome.DUPLICATE, Outcome.NO_ANSWER, Outcome.UNKNOWN);
    private static final Set<Outcome> ALWAYS = Set.of(Outcome.values());

    /** After a lost answer. A pool may have more connections that died with the first one. */
    public static final RetryPolicy LOOK_UP = times(5, ALWAYS);

    /** The release of a lease or of claimed rows. Our own renewal may lock a row for a moment. The background does the rest. */
    public static final RetryPolicy RELEASE = times(3, NEVER);

    /** An extension of a lease by hand, which does no harm if it is sent twice. Another caller may lock the row for a moment. */
    public static final RetryPolicy EXTENSION =
            times(3, Set.of(Outcome.ROLLED_BACK, Outcome.NO_ANSWER, Outcome.UNKNOWN));

    /** A break by force: in all over a tenth of a second. A renewal locks a row for less, and a transaction may do so for longer. */
    public static final RetryPolicy BREAK = times(6, NEVER);

    /** Calls about tokens. A visitor waits for the answer. */
    public static final RetryPolicy TOKEN = within(Duration.ofSeconds(5));

    /** The outcome of once. If it is not recorded, the work is done again. */
    public static final RetryPolicy ONCE = within(Duration.ofSeconds(10));

    /**
     * Claims, and changes of claimed rows. A batch of work depends on it, and a failover takes some seconds. A duplicate key that is no
     * collision is an error of the user's table.
     */
    public static final RetryPolicy CLAIM = within(Duration.ofSeconds(10)).without(Outcome.DUPLICATE);

    /** The rest of an operation of which a part is committed: a failure would leave it half done. */
    public static final RetryPolicy REST =
            new RetryPolicy(CLAIM.patience(), CLAIM.grace(), Integer.MAX_VALUE, ROLLED_BACK);

    /** A change of claimed rows that are locked, perhaps by our own renewal. */
    public static final RetryPolicy LOCKED_ROWS = times(5, NEVER);

    /** A change of a run, such as a new pass: workers change it at the same time. */
    public static final RetryPolicy RUN = times(5, ROLLED_BACK);

    /** The record of a failed attempt. Without a connection the worker waits. After the last try the row is postponed without one. */
    public static final RetryPolicy RUN_FAILURE =
            times(3, Set.of(Outcome.NOT_SENT, Outcome.ROLLED_BACK, Outcome.NO_ANSWER, Outcome.UNKNOWN));

    /** A row's work in a transaction. Deadlocks come in bursts. A row that is rolled back each time counts as failed. */
    public static final RetryPolicy RUN_TRANSACTION = times(5, ROLLED_BACK);

    /** The last steps of a worker that ends, together. */
    public static final RetryPolicy SHUTDOWN = within(Duration.ofSeconds(10));

    /** The creation of tables, about a second: several nodes may create them at the same instant. */
    public static final RetryPolicy CREATION = times(16, NEVER);

    /** The trial lock of doctor: the database may roll a statement back, as under SERIALIZABLE. */
    public static final RetryPolicy TRIAL = times(3, ROLLED_BACK);

    /**
     * An acquire of a permit, or of several locks, while a free row is locked: another caller is acquiring it, and may not get the
     * others, or the next permit is free.
     */
    public static final RetryPolicy LOCKED_LEASE = times(4, NEVER);

    /**
     * An acquire, for as long as the caller waits.
     *
     * @param lease the length of the requested lease: even without a wait, collisions are repeated for a third of it, a second at most
     */
    public static RetryPolicy acquire(Duration wait, Duration lease) {
        // Not Duration.dividedBy, which computes with BigDecimal: each acquire comes by here.
        Duration grace = Duration.ofNanos(Math.min(LONGEST_GRACE.toNanos(), lease.toNanos() / 3));
        return new RetryPolicy(wait, grace, Integer.MAX_VALUE, UNLESS_REFUSED);
    }

    private static RetryPolicy within(Duration wait) {
        return new RetryPolicy(wait, wait, Integer.MAX_VALUE, UNLESS_REFUSED);
    }

    private static RetryPolicy times(int tries, Set<Outcome> again) {
        return new RetryPolicy(FOR_EVER, FOR_EVER, tries, again);
    }

    /** The same, but not after this failure. */
    private RetryPolicy without(Outcome failure) {
        Set<Outcome> less =
                again.stream().filter(outcome -> outcome != failure).collect(Collectors.toUnmodifiableSet());
        return new RetryPolicy(patience, grace, tries, less);
    }

    public Patience begin() {
        return new Patience(LocalClock.SYSTEM, this);
    }
}
