package dev.dibs.contract.support;

import java.sql.SQLException;

/** A clock for the statements of an embedded database. At one of its readings, in the middle of a statement, another transaction acts. */
public final class ActingClock {

    private static final ThreadLocal<ActingClock> MINE = new ThreadLocal<>();

    private final Act act;
    private int left;
    private boolean due;

    private ActingClock(int reading, Act act) {
        this.left = reading;
        this.act = act;
    }

    /** The action of the other transaction, on its own connection. */
    public interface Act {
        void run() throws SQLException;
    }

    /** Sends a statement. */
    public interface Ask {
        void run() throws Exception;
    }

    /** Whether there were that many readings. */
    public static boolean actAt(int reading, Act act, Ask ask) throws Exception {
        ActingClock clock = new ActingClock(reading, act);
        MINE.set(clock);
        try {
            ask.run();
        } finally {
            MINE.remove();
        }
        return clock.due;
    }

    /** The database calls it, on the thread of the statement. */
    public static long read() throws SQLException {
        ActingClock clock = MINE.get();
        if (clock != null && --clock.left == 0) {
            clock.due = true;
            clock.act.run();
        }
        return System.currentTimeMillis();
    }
}
