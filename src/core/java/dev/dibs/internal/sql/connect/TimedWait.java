package dev.dibs.internal.sql.connect;

import dev.dibs.internal.time.HeldInterrupt;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A statement that another thread sends. Its caller gives up when the answer takes too long, since the driver would not. A statement that
 * was given up before it was sent is not sent.
 */
final class TimedWait {

    /** A pool gives up sooner. */
    private static final Duration LONGEST_BORROW = Duration.ofSeconds(30);

    private final CompletableFuture<Boolean> sent = new CompletableFuture<>();
    private final AtomicBoolean decided = new AtomicBoolean();
    private volatile boolean givenUp;

    /**
     * For the thread that is about to send it on this connection, perhaps again. Fails if it was given up: then the connection goes back.
     */
    Connection begin(Connection connection) throws SQLException {
        sent.complete(decided.compareAndSet(false, true));
        if (!sent.join() || givenUp) {
            connection.close();
            throw new SQLTimeoutException("given up");
        }
        return connection;
    }

    /** For the caller: waits until there is a connection. Returns false if it gave up without one. */
    boolean awaitSent(CompletableFuture<?> answer) {
        return isDone(CompletableFuture.anyOf(sent, answer), LONGEST_BORROW) || !decided.compareAndSet(false, true);
    }

    /** For the caller, which waits no longer for the answer: nothing is sent again. */
    void giveUp() {
        givenUp = true;
    }

    /** Waits even if the thread is interrupted: the statement was sent, and its outcome should be known. */
    static boolean isDone(CompletableFuture<?> future, Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        try (HeldInterrupt interrupt = new HeldInterrupt()) {
            while (true) {
                try {
                    Object unused = future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                    return true;
                } catch (InterruptedException e) {
                    interrupt.add();
                } catch (ExecutionException e) {
                    return true;
                } catch (TimeoutException e) {
                    return false;
                }
            }
        }
    }
}
