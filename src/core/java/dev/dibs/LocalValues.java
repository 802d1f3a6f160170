package dev.dibs;

import dev.dibs.OnceMemory.Known;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The values of one instance. Whoever gets the lease makes the value and says so in the database; an instance that finds it done by
 * another one makes its own then, on one thread, since it can not have the other's. Where that fails the database knows nothing of
 * it, and the instance itself keeps the pause.
 */
final class LocalValues {

    private static final int LIMIT = 10_000;

    /** A value, and when it was there, as monotonic time. */
    private record Value(Object value, long nanos) {}

    /** Made in vain, how often in a row, and until when it is left alone. */
    private record Failure(Throwable thrown, long inARow, long until) {}

    private static final class Cell {
        final ReentrantLock making = new ReentrantLock();
        volatile @Nullable Value value;
        volatile @Nullable Failure failure;

        /** Of two that are nothing yet, or were made in vain, none is older. */
        long age(long now) {
            Value made = value;
            return made == null ? Long.MAX_VALUE : now - made.nanos();
        }
    }

    private final Map<String, Cell> cells = new ConcurrentHashMap<>();

    @SuppressWarnings("unchecked")
    <T, X extends Exception> T getOrRefresh(Once once, ValueWork<T, X> work) throws X {
        Cell cell = cells.get(once.name());
        if (cell == null) {
            makeRoom(once.nanos());
            cell = cells.computeIfAbsent(once.name(), name -> new Cell());
        }
        Value value = cell.value;
        return (T) (value == null ? first(cell, once, work) : refreshed(cell, value, once, work)).value();
    }

    /** Drops the tenth that is oldest, what has no value first, but none that is just being made. */
    private void makeRoom(long now) {
        if (cells.size() < LIMIT) {
            return;
        }
        Comparator<Map.Entry<String, Long>> byAge = Map.Entry.comparingByValue();
        cells.entrySet().stream()
                .filter(entry -> !entry.getValue().making.isLocked())
                .map(entry -> Map.entry(entry.getKey(), entry.getValue().age(now)))
                .sorted(byAge.reversed())
                .limit(LIMIT / 10)
                .map(Map.Entry::getKey)
                .toList()
                .forEach(cells::remove);
    }

    /** The others wait for the one who is first. */
    private static <T, X extends Exception> Value first(Cell cell, Once once, ValueWork<T, X> work) throws X {
        try {
            cell.making.lockInterruptibly();
        } catch (InterruptedException e) {
            throw once.interrupted();
        }
        try {
            Value value = cell.value;
            if (value != null) {
                return value;
            }
            Failure failure = paused(cell, once);
            if (failure != null) {
                throw once.noValue(String.valueOf(failure.thrown()), failure.thrown());
            }
            Known known = ask(cell, once, work);
            if (known.outcome() == OnceOutcome.FAILED) {
                throw once.noValue();
            }
            value = cell.value;
            return value == null ? makeOwn(cell, once, work) : value;
        } finally {
            cell.making.unlock();
        }
    }

    private static <T, X extends Exception> Value refreshed(Cell cell, Value old, Once once, ValueWork<T, X> work)
            throws X {
        if (cell.making.isLocked()) {
            return old;
        }
        Known known = ask(cell, once, work);
        Value now = Objects.requireNonNullElse(cell.value, old);
        boolean outdated = known.isNotDue()
                && known.succeededAt() != null
                && known.succeededNanos() - now.nanos() > 0
                && paused(cell, once) == null;
        return outdated && cell.making.tryLock() ? again(cell, old, once, work) : now;
    }

    /**
     * Whoever has the lease has the lock too, until the success is recorded and the value is marked as not older than that: or
     * somebody might ask in between, and take it for the one before.
     */
    private static <T, X extends Exception> Known ask(Cell cell, Once once, ValueWork<T, X> work) throws X {
        int holds = cell.making.getHoldCount();
        try {
            Known known = once.attempt(lease -> {
                cell.making.lock();
                make(cell, once, work);
            });
            Value made = cell.value;
            if (known.outcome() == OnceOutcome.RAN && made != null) {
                cell.value = new Value(made.value(), once.nanos());
            }
            return known;
        } finally {
            while (cell.making.getHoldCount() > holds) {
                cell.making.unlock();
            }
        }
    }

    private static <T, X extends Exception> Value again(Cell cell, Value old, Once once, ValueWork<T, X> work)
            throws X {
        try {
            Value value = cell.value;
            boolean changed = value != null && value.nanos() != old.nanos();
            return changed || paused(cell, once) != null
                    ? Objects.requireNonNullElse(value, old)
                    : makeOwn(cell, once, work);
        } finally {
            cell.making.unlock();
        }
    }

    private static @Nullable Failure paused(Cell cell, Once once) {
        Failure failure = cell.failure;
        return failure != null && failure.until() - once.nanos() > 0 ? failure : null;
    }

    private static <T, X extends Exception> Value makeOwn(Cell cell, Once once, ValueWork<T, X> work) throws X {
        try {
            return make(cell, once, work);
        } catch (Throwable e) {
            Failure last = cell.failure;
            long before = last == null ? 0 : last.inARow();
            cell.failure =
                    new Failure(e, before + 1, once.nanos() + once.pause(before).toNanos());
            throw e;
        }
    }

    private static <T, X extends Exception> Value make(Cell cell, Once once, ValueWork<T, X> work) throws X {
        Value value = new Value(Objects.requireNonNull(work.make(), "the value that was made is null"), once.nanos());
        cell.value = value;
        cell.failure = null;
        return value;
    }
}
