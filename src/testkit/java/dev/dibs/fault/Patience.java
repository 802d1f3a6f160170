package dev.dibs.fault;

import java.sql.SQLException;
import java.time.Duration;

/** Repeats a task that needs a database, which another fault may keep away for a while. */
final class Patience {
    private static final long PAUSE = 100;

    private Patience() {}

    interface Attempt<T> {
        T run() throws Exception;
    }

    static <T> T until(Duration longest, Attempt<T> attempt) throws Exception {
        long end = System.nanoTime() + longest.toNanos();
        while (true) {
            try {
                return attempt.run();
            } catch (SQLException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
                Thread.sleep(PAUSE);
            }
        }
    }
}
