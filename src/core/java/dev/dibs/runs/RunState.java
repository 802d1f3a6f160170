package dev.dibs.runs;

/** The state of a run. The command, its JSON and the console show the same words, in small letters. */
public enum RunState {
    /** Its workers work. */
    RUNNING,
    /** Its workers wait; it can be resumed. */
    PAUSED,
    /** Its workers end. Workers that start end at once, until it is resumed. */
    STOPPED,
    /** Nothing is left: every row is done. */
    FINISHED,
    /** Nothing is left to try, but dead letters are left. */
    INCOMPLETE
}
