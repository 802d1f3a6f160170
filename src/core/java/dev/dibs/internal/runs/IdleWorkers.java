package dev.dibs.internal.runs;

import dev.dibs.internal.acquire.Wakeups;
import dev.dibs.internal.time.Mutex;
import dev.dibs.internal.values.OwnerToken;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one start that have found no row. One of them, the lookout, looks for all; the others sleep.
 *
 * <ol>
 * <li>A worker that has worked looks once itself. If it finds nothing, it sleeps here: as the lookout, if there is none.
 * <li>The lookout looks when its look is due. If it finds a row, it hands its place on before it works. After a full batch, the next look
 * is due at once.
 * <li>A wake makes a look due. It counts for looks that begin after it, so a row that a running look has missed is found by the next one.
 * <li>If the look of the lookout takes too long, another takes its place: nobody depends on one thread or one connection.
 * <li>Whoever looks runs on its own thread, and calls {@link #leave} if it fails or ends. Then the next look is due at once.
 * </ol>
 *
 * <p>Safe for use by any thread.
 */
final class IdleWorkers implements Wakeups.Sleeper {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = 1_000 * MILLI;

    /** Usually other workers are about to complete the last rows. */
    static final long FIRST_POLL = 5 * MILLI;

    /** The others do not count on a look that takes longer. */
    private static final long PATIENCE = 5 * SECOND;

    /** More than any program runs without a restart; a sum with the time does not overflow. */
    private static final long LONGEST_PAUSE = TimeUnit.DAYS.toNanos(10_000);

    /** Looks for wakes are at least so far apart. */
    private static final long GAP = 10 * MILLI;

    /** When to look after a wake whose transaction may be open, and does not notify. */
    private static final long[] AFTER_WAKE = {10 * MILLI, 50 * MILLI, 250 * MILLI, SECOND};

    /** Commits that notify wait for each other. From so many a second on, it looks often instead. */
    private static final int MANY = 100;

    private static final long OFTEN = 20 * MILLI;

    /** While rows come, it looks so much more often: workers that begin together also look together when they have worked. */
    private static final int CLOSER = 4;

    /** The name of each worker in the database is made of this one, so that one statement can report all of them. */
    final String firstName = OwnerToken.next().substring(4) + "0000";

    /** How long a run that waits for the rows of others sleeps between two looks: all of them have one, since one looks. */
    volatile long poll = FIRST_POLL;

    private final BooleanSupplier over;
    private final long origin = System.nanoTime();
    private final Mutex mutex = new Mutex();
    private final Condition lookoutSleeps = mutex.condition();
    private final Condition othersSleep = mutex.condition();

    private @Nullable Object lookout;
    /** When the next look is due. While the lookout looks, when its look began. */
    private long dueAt;

    /** A look is wanted that begins then or later. */
    private long wantedAt = -1;

    /** The same for each worker's own look. */
    private long allWantedAt = -1;

    /** The last wake whose transaction may be open. */
    private long openAt = -SECOND;

    private long foundAt;
    private long secondBegan;
    private int heard;
    private boolean flooded;

    /**
     * Nobody sleeps yet.
     *
     * @param over whether the calling worker has to end
     */
    IdleWorkers(BooleanSupplier over) {
        this.over = over;
    }

    /** The time, to be taken before a look begins. */
    long now() {
        return System.nanoTime() - origin;
    }

    /**
     * The worker has looked and found nothing. Returns when it has to look again, or to end.
     *
     * @param began when its look began
     * @param pause how long after that the next look is due
     */
    void sleep(Object worker, long began, long pause) {
        sleep(worker, began, pause, true);
    }

    /** The worker must not look yet: the run is paused, or its rate is used up. Returns when it has to ask whether it may, or to end. */
    void rest(Object worker, long pause) {
        sleep(worker, now(), pause, false);
    }

    private void sleep(Object worker, long began, long pause, boolean hasLooked) {
        try (Mutex.Held unused = mutex.hold()) {
            flooded &= began - foundAt < SECOND;
            long next = next(began, hasLooked && began - foundAt < pause ? closer(pause) : pause);
            if (lookout == null || lookout == worker) {
                lookout = worker;
                dueAt = next;
            } else {
                dueBy(next);
            }
            while (!over.getAsBoolean() && allWantedAt < began) {
                boolean isNew = lookout == null;
                lookout = isNew ? worker : lookout;
                boolean isLookout = lookout == worker;
                long left = dueAt + (isLookout ? 0 : PATIENCE) - now();
                // When it is due was said by a worker that had looked.
                if (left <= 0 || (isNew && !hasLooked)) {
                    lookout = worker;
                    break;
                }
                long ignored = (isLookout ? lookoutSleeps : othersSleep).awaitNanos(left);
            }
            if (lookout == worker) {
                dueAt = now();
                // From now on one of the others waits for the end of this look.
                othersSleep.signal();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The worker has looked and found rows.
     *
     * @param full whether there may be more rows
     * @param pause how long after the beginning of its look the next one is due, if there are none
     */
    void found(Object worker, long began, boolean full, long pause) {
        try (Mutex.Held unused = mutex.hold()) {
            foundAt = now();
            wantedAt = full ? Math.max(wantedAt, foundAt) : wantedAt;
            if (lookout == worker) {
                lookout = null;
                dueAt = full ? foundAt : next(began, closer(pause));
                othersSleep.signal();
            } else if (full) {
                dueBy(foundAt);
            }
        }
    }

    /** The worker does not look any more, or its look has failed. */
    void leave(Object worker) {
        try (Mutex.Held unused = mutex.hold()) {
            if (lookout == worker) {
                lookout = null;
                dueAt = Math.min(dueAt, now());
            }
            othersSleep.signal();
        }
    }

    /** There may be rows: one worker looks, if any sleeps. */
    void wake() {
        try (Mutex.Held unused = mutex.hold()) {
            long now = now();
            if (wantedAt < now) {
                wantedAt = Math.max(now, wantedAt + GAP);
                dueBy(wantedAt);
            }
        }
    }

    /** There will be rows when a transaction is committed: one worker looks a few times. */
    void wakeLater() {
        try (Mutex.Held unused = mutex.hold()) {
            openAt = now();
            dueBy(openAt + AFTER_WAKE[0]);
        }
    }

    /** Another process has woken the run. A transaction that was open before the first notification does not send one. */
    @Override
    public boolean wake(boolean isNew) {
        wake();
        if (isNew) {
            wakeLater();
        }
        try (Mutex.Held unused = mutex.hold()) {
            boolean same = now() - secondBegan < SECOND;
            secondBegan = same ? secondBegan : now();
            heard = same ? heard + 1 : 1;
            flooded |= heard > MANY;
            return !flooded;
        }
    }

    /** Something has changed for all: each worker looks itself. */
    void wakeAll() {
        try (Mutex.Held unused = mutex.hold()) {
            allWantedAt = now();
            lookoutSleeps.signalAll();
            othersSleep.signalAll();
        }
    }

    private static long closer(long pause) {
        return Math.max(pause / CLOSER, Math.min(pause, OFTEN));
    }

    /** When the look after one that began then is due: never in the past, since the patience of the others begins then. */
    private long next(long began, long pause) {
        long next = began + Math.min(flooded ? OFTEN : LONGEST_PAUSE, pause);
        for (long after : AFTER_WAKE) {
            if (openAt + after > began) {
                next = Math.min(next, openAt + after);
                break;
            }
        }
        return Math.max(now(), wantedAt >= began ? wantedAt : next);
    }

    private void dueBy(long at) {
        if (at < dueAt) {
            dueAt = at;
            lookoutSleeps.signal();
        }
    }
}
