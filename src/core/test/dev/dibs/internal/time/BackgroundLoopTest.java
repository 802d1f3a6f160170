package dev.dibs.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A background thread goes on, whatever a round throws. */
@Tag("unit")
class BackgroundLoopTest {

    private static final String NAME = "dibs-rounds-test";

    /** Throws where a failure of these rounds is logged. */
    private static final class BadLog extends Handler {

        final AtomicInteger failures = new AtomicInteger();

        @Override
        public void publish(LogRecord entry) {
            if (entry.getMessage().contains(NAME)) {
                failures.incrementAndGet();
                throw new OutOfMemoryError("planted in the log");
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void aRoundIsRepeatedEvenIfItsFailureCannotBeLogged() throws Exception {
        Logger logger = Logger.getLogger("dev.dibs");
        BadLog bad = new BadLog();
        AtomicInteger tries = new AtomicInteger();
        Semaphore done = new Semaphore(0);
        BackgroundLoop rounds = new BackgroundLoop(NAME, () -> {
            if (tries.incrementAndGet() == 1) {
                throw new OutOfMemoryError("planted in the round");
            }
            done.release();
            return BackgroundLoop.NEVER;
        });
        logger.addHandler(bad);
        try {
            rounds.within(0);
            assertThat(done.tryAcquire(60, TimeUnit.SECONDS)).as("repeated").isTrue();
            assertThat(bad.failures).hasValue(1);
            rounds.within(0);
            assertThat(done.tryAcquire(60, TimeUnit.SECONDS)).as("and goes on").isTrue();
        } finally {
            logger.removeHandler(bad);
            assertThat(rounds.stop(60_000)).isTrue();
        }
    }

    @Test
    void anEndedThreadIsReplaced() throws Exception {
        Semaphore done = new Semaphore(0);
        BackgroundLoop rounds = new BackgroundLoop(NAME, () -> {
            done.release();
            return BackgroundLoop.NEVER;
        });
        Thread ended = new Thread(() -> {});
        ended.start();
        ended.join();
        Field thread = BackgroundLoop.class.getDeclaredField("thread");
        thread.setAccessible(true);
        thread.set(rounds, ended);
        try {
            rounds.within(0);
            assertThat(done.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            assertThat(rounds.stop(60_000)).isTrue();
        }
    }
}
