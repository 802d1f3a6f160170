package dev.dibs.contract;

import java.sql.SQLException;

/** A clock for the statements of an embedded database, which lets somebody else act at one of its readings: in the middle of a statement. */
public final class ActingClock {

    private static final ThreadLocal<ActingClock> MINE = new ThreadLocal<>();

    private final Act act;
    private int left;
    private boolean due;

    private ActingClock(int reading, Act act) {
        this.left = reading;
        this.act = act;
    }

    /** What somebody else does, on a connection of his own. */
    interface Act {
        void run() throws SQLException;
    }

    /** Asks a statement. */
    interface Ask {
        void run() throws Exception;
    }

    /** Whether there were that many readings. */
    static boolean actAt(int reading, Act act, Ask ask) throws Exception {
        ActingClock clock = new ActingClock(reading, act);
        MINE.set(clock);
        try {
            ask.run();
        } finally {
            MINE.remove();
        }
        return clock.due;
    }

    /** As the database calls it, on the thread of whoever asks. */
    public static long read() throws SQLException {
        ActingClock clock = MINE.get();
        if (clock != null && --clock.left == 0) {
            clock.due = true;
            clock.act.run();
        }
        return System.currentTimeMillis();
    }
}
