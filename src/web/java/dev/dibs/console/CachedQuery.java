package dev.dibs.console;

import dev.dibs.DibsException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer of the database that all visitors share. One visitor's page triggers the query, at a limited rate, and the others get
 * the cached answer. They wait for the next answer only if there is none, or it is known to be out of date. That wait is limited.
 */
final class CachedQuery<T> {

    private static final String LATE = "the database has not answered yet";

    /**
     * The last answer.
     *
     * @param value null if there was no answer yet
     * @param at when the value was read, by the clock of this machine
     * @param problem why the last read failed; empty if it did not
     */
    record Seen<T>(@Nullable T value, Instant at, String problem) {

        /** For a page with several answers: the age of the oldest one, and the first problem. */
        static Seen<?> oldest(Seen<?>... all) {
            Instant at = all[0].at();
            String problem = "";
            for (Seen<?> seen : all) {
                at = seen.at().isBefore(at) ? seen.at() : at;
                problem = problem.isEmpty() ? seen.problem() : problem;
            }
            return new Seen<>(null, at, problem);
        }
    }

    private record Known<T>(Seen<T> seen, long nanos, long version) {}

    /** A query that is under way, with its start by real time. */
    private record Asking(long start, CompletableFuture<Void> answered) {}

    private final Pace pace;
    private final LongSupplier nanos;
    private final Executor threads;
    private final int statements;
    private final long age;
    private final Supplier<T> question;
    private final AtomicLong wanted = new AtomicLong();

    private final AtomicReference<@Nullable Asking> underWay = new AtomicReference<>();

    private volatile @Nullable Known<T> last;

    /**
     * Sends no query yet.
     *
     * @param threads the threads that run the query
     * @param statements how many statements the query takes
     * @param age how old an answer may be
     */
    CachedQuery(Pace pace, LongSupplier nanos, Executor threads, int statements, Duration age, Supplier<T> question) {
        this.pace = pace;
        this.nanos = nanos;
        this.threads = threads;
        this.statements = statements;
        this.age = age.toNanos();
        this.question = question;
    }

    /** Marks the answer as out of date, after a change. */
    void outdate() {
        wanted.incrementAndGet();
    }

    /** The cached answer, without a query. */
    @Nullable
    Seen<T> peek() {
        Known<T> known = last;
        return known == null ? null : known.seen();
    }

    /** The last answer; or a newer one, if it is due and arrives within the visitor's wait. */
    Seen<T> get(Wait wait) {
        Known<T> known = last;
        if (known != null && isFresh(known)) {
            return known.seen();
        }
        do {
            boolean needed = known == null || isOutdated(known);
            Asking mine = new Asking(System.nanoTime(), new CompletableFuture<>());
            Asking other = underWay.compareAndExchange(null, mine);
            if (other != null && !needed) {
                return wait.isLate(other.start()) ? late(known) : known.seen();
            }
            if (other == null && !begin(mine, known, needed)) {
                return known == null ? late(null) : known.seen();
            }
            if (!isAnswered(other == null ? mine : other, wait.left(known != null))) {
                return late(known);
            }
            known = last;
        } while (known == null || isOutdated(known));
        return known.seen();
    }

    private boolean isFresh(Known<T> known) {
        return !isOutdated(known) && nanos.getAsLong() - known.nanos() < age;
    }

    private boolean isOutdated(Known<T> known) {
        return known.version() != wanted.get();
    }

    /** The cached answer, if any, while the next one is late. */
    private static <T> Seen<T> late(@Nullable Known<T> known) {
        if (known == null) {
            return new Seen<>(null, Instant.now(), LATE);
        }
        Seen<T> seen = known.seen();
        return seen.problem().isEmpty() ? new Seen<>(seen.value(), seen.at(), LATE) : seen;
    }

    private static boolean isAnswered(Asking asking, long patience) {
        try {
            asking.answered().get(Math.max(0, patience), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Starts the query on another thread. Returns false if the pace forbids it now, or there is no free thread. */
    @SuppressWarnings("ReferenceEquality")
    private boolean begin(Asking mine, @Nullable Known<T> known, boolean needed) {
        if (last != known) {
            // Another query was answered just before.
            end(mine, null);
            return true;
        }
        if (needed) {
            pace.spend(statements);
        } else if (known != null && !pace.take(statements, Duration.ofNanos(nanos.getAsLong() - known.nanos()))) {
            end(mine, null);
            return false;
        }
        try {
            threads.execute(() -> answer(mine));
            return true;
        } catch (RejectedExecutionException e) {
            end(mine, null);
            return false;
        }
    }

    private void answer(Asking mine) {
        Throwable failure = null;
        try {
            long version = wanted.get();
            Seen<T> seen = answer(last);
            last = new Known<>(seen, nanos.getAsLong(), version);
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        end(mine, failure);
    }

    /** Allows the next query first, and then lets the waiters of this one go on, which find its answer. */
    private void end(Asking mine, @Nullable Throwable failure) {
        underWay.set(null);
        if (failure == null) {
            mine.answered().complete(null);
        } else {
            mine.answered().completeExceptionally(failure);
        }
    }

    private Seen<T> answer(@Nullable Known<T> known) {
        try {
            return new Seen<>(question.get(), Instant.now(), "");
        } catch (DibsException | IllegalStateException e) {
            String problem = Format.masked(String.valueOf(e.getMessage()));
            return known == null
                    ? new Seen<>(null, Instant.now(), problem)
                    : new Seen<>(known.seen().value(), known.seen().at(), problem);
        }
    }
}
