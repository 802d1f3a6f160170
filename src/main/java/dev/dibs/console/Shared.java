package dev.dibs.console;

import dev.dibs.DibsException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all who look share: one of them asks the database, at most so often, and the others get what is there. Only if there is nothing
 * yet, or it is known to be out of date, do they wait for the answer.
 */
final class Shared<T> {

    /**
     * What was answered last.
     *
     * @param value null if nothing ever was
     * @param at when the value was read, by the clock of this machine
     * @param problem why it could not be read again; empty if it could
     */
    record Seen<T>(@Nullable T value, Instant at, String problem) {

        /** Of what a page shows: as old as the oldest of these, and with the first problem. */
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

    private final Pace pace;
    private final LongSupplier nanos;
    private final int statements;
    private final long age;
    private final Supplier<T> question;
    private final AtomicLong wanted = new AtomicLong();
    private final ReentrantLock asking = new ReentrantLock();
    private volatile @Nullable Known<T> last;

    /**
     * Nothing is asked yet.
     *
     * @param statements how many it costs to ask
     * @param age how old an answer may be
     */
    Shared(Pace pace, LongSupplier nanos, int statements, Duration age, Supplier<T> question) {
        this.pace = pace;
        this.nanos = nanos;
        this.statements = statements;
        this.age = age.toNanos();
        this.question = question;
    }

    /** Something was changed: what was read before counts no more. */
    void outdate() {
        wanted.incrementAndGet();
    }

    /** What is known, without asking anybody. */
    @Nullable
    Seen<T> peek() {
        Known<T> known = last;
        return known == null ? null : known.seen();
    }

    Seen<T> get() {
        Known<T> known = last;
        if (known != null && isFresh(known)) {
            return known.seen();
        }
        if (known == null || isOutdated(known)) {
            asking.lock();
        } else if (!asking.tryLock()) {
            return known.seen();
        }
        try {
            return ask();
        } finally {
            asking.unlock();
        }
    }

    private boolean isFresh(Known<T> known) {
        return !isOutdated(known) && nanos.getAsLong() - known.nanos() < age;
    }

    private boolean isOutdated(Known<T> known) {
        return known.version() != wanted.get();
    }

    private Seen<T> ask() {
        Known<T> known = last;
        if (known == null || isOutdated(known)) {
            pace.spend(statements);
        } else if (isFresh(known) || !pace.take(statements, Duration.ofNanos(nanos.getAsLong() - known.nanos()))) {
            return known.seen();
        }
        long version = wanted.get();
        Seen<T> seen = answer(known);
        last = new Known<>(seen, nanos.getAsLong(), version);
        return seen;
    }

    private Seen<T> answer(@Nullable Known<T> known) {
        try {
            return new Seen<>(question.get(), Instant.now(), "");
        } catch (DibsException | IllegalStateException e) {
            String problem = Show.masked(String.valueOf(e.getMessage()));
            return known == null
                    ? new Seen<>(null, Instant.now(), problem)
                    : new Seen<>(known.seen().value(), known.seen().at(), problem);
        }
    }
}
