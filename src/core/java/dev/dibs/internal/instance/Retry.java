package dev.dibs.internal.instance;

import dev.dibs.DibsException;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Backoff;
import dev.dibs.internal.time.Patience;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Repeats a statement that can be sent twice without harm, until the database has answered. */
public final class Retry {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Sends the statement once. */
    public interface Sending<T> {
        /** Returns the answer; empty if another process interfered, so that it must be sent again. */
        Optional<T> send() throws SqlFailure;
    }

    private Retry() {}

    /**
     * Waits for an answer for some seconds.
     *
     * @throws DibsException if there is none, or the thread is interrupted between two tries; its interrupt flag is set then
     */
    public static <T> T untilAnswered(Context context, String what, Sending<T> sending) {
        Patience patience = new Patience(context.clock(), PATIENCE, PATIENCE);
        Backoff backoff = new Backoff();
        while (true) {
            context.requireOpen();
            try {
                Optional<T> answer = sending.send();
                if (answer.isPresent()) {
                    return answer.get();
                }
                if (patience.isOver()) {
                    throw new DibsException(what + " kept colliding with others; try again", null);
                }
            } catch (SqlFailure e) {
                if (!patience.allows(e)) {
                    throw context.errors().explainHarmless(e);
                }
            }
            pause(what, backoff);
        }
    }

    private static void pause(String what, Backoff backoff) {
        try {
            TimeUnit.NANOSECONDS.sleep(backoff.nextNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DibsException(what + " was interrupted before the database had answered", e);
        }
    }
}
