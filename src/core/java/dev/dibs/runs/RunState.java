package dev.dibs.runs;

/**
 * What a run is at. The words are the same wherever a run is shown, in small letters: by the command, as text and as JSON, and on the
 * console.
 */
public enum RunState {
    /** Its workers work. */
    RUNNING,
    /** They wait; it can be resumed. */
    PAUSED,
    /** They end, and those that start end at once, until it is resumed. */
    STOPPED,
    /** Nothing is left: every row is done. */
    FINISHED,
    /** Nothing is left to try, but some rows are dead. */
    INCOMPLETE
}
