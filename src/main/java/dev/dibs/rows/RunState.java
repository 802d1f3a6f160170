package dev.dibs.rows;

import java.util.Locale;

/** Whether the workers of a run work. */
public enum RunState {
    /** They do. */
    RUNNING,
    /** They wait; it can be resumed. */
    PAUSED,
    /** They end, and those that start end at once, until it is resumed. */
    STOPPED;

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    static RunState of(String text) {
        return valueOf(text.strip().toUpperCase(Locale.ROOT));
    }
}
