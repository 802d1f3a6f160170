package dev.dibs.internal.once;

import dev.dibs.internal.time.LocalClock;
import dev.dibs.once.OnceOutcome;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The last answers of the database for this instance, so that a check on every page view rarely needs the database. It is only a hint that
 * the work is not due; whether it is, the database decides.
 *
 * <p>A remembered time has a random part, up to a second or 1 %, or all instances would ask in the same millisecond. It ends after two and
 * a half to five minutes, since another process may have changed the row; for work that another process does, after 250 ms.
 */
final class OnceMemory {

    private static final int LIMIT = 10_000;
    private static final long LONGEST = TimeUnit.MINUTES.toNanos(5);
    private static final long LONGEST_DELAY = TimeUnit.SECONDS.toNanos(1);
    private static final long DELAY_SHARE = 100;
    private static final long BUSY = TimeUnit.MILLISECONDS.toNanos(250);

    /** The work. With another schedule it is due at another time. */
    record Key(String name, OnceSchedule schedule) {}

    /**
     * A remembered answer.
     *
     * @param until how long it counts, as monotonic time
     */
    record Known(OnceOutcome outcome, long until) {}

    /**
     * Failures that could not be recorded in the database. They are answered here, or the work would be tried again at once.
     *
     * @param until when the pause after the last one ends, as monotonic time
     * @param times how many there were in a row
     * @param error the last one
     */
    record Unrecorded(long until, long times, String error) {}

    private final Map<String, Unrecorded> unrecorded = new ConcurrentHashMap<>();
    private final Map<Key, Known> all = new ConcurrentHashMap<>();
    private final LocalClock clock;

    OnceMemory(LocalClock clock) {
        this.clock = clock;
    }

    /** The answer, if it still counts, or null. */
    @Nullable
    Known get(Key key) {
        Known known = all.get(key);
        return known != null && known.until() - clock.nanos() > 0 ? known : null;
    }

    /** A failure could not be recorded. */
    void failed(String name, String error, long pauseNanos) {
        if (unrecorded.size() >= LIMIT) {
            unrecorded.clear();
        }
        unrecorded.merge(
                name,
                new Unrecorded(clock.nanos() + pauseNanos, 1, error),
                (before, now) -> new Unrecorded(now.until(), before.times() + 1, error));
    }

    void recorded(String name) {
        unrecorded.remove(name);
    }

    /** How many failures in a row are not recorded. */
    long unrecorded(String name) {
        Unrecorded failed = unrecorded.get(name);
        return failed == null ? 0 : failed.times();
    }

    /** The last failure that is not recorded, while the pause after it lasts; else null. */
    @Nullable
    Unrecorded paused(String name) {
        Unrecorded failed = unrecorded.get(name);
        return failed != null && failed.until() - clock.nanos() > 0 ? failed : null;
    }

    void forget(String name) {
        unrecorded.remove(name);
        all.keySet().removeIf(key -> key.name().equals(name));
    }

    void forget(Key key) {
        all.remove(key);
    }

    /**
     * Remembers a row.
     *
     * @param sentNanos monotonic time before the statement was sent
     */
    Known learn(Key key, OnceRow row, long sentNanos) {
        OnceOutcome outcome = row.outcome(key.schedule());
        Known known = new Known(
                outcome,
                outcome == OnceOutcome.BUSY ? busyUntil(row) : notDueUntil(row.dueIn(key.schedule()), sentNanos));
        if (all.size() >= LIMIT && !all.containsKey(key)) {
            makeRoom();
        }
        all.put(key, known);
        return known;
    }

    private static long notDueUntil(long millis, long sentNanos) {
        // "Never" is too long to be added to a time.
        long left = Math.min(TimeUnit.MILLISECONDS.toNanos(millis), LONGEST);
        return sentNanos
                + Math.min(left + chance(0, Math.min(LONGEST_DELAY, left / DELAY_SHARE)), chance(LONGEST / 2, LONGEST));
    }

    private long busyUntil(OnceRow row) {
        long left = TimeUnit.MILLISECONDS.toNanos(
                row.lease().heldUntil() - row.lease().readAt());
        return clock.nanos() + Math.min(left, chance(BUSY / 2, BUSY));
    }

    private static long chance(long from, long to) {
        return ThreadLocalRandom.current().nextLong(from, to + 1);
    }

    private void makeRoom() {
        all.values().removeIf(known -> known.until() - clock.nanos() <= 0);
        if (all.size() >= LIMIT) {
            all.keySet().stream().limit(LIMIT / 10).toList().forEach(all::remove);
        }
    }
}
