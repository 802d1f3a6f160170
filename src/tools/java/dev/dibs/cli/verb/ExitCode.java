package dev.dibs.cli.verb;

/** The exit codes of the command, besides zero and those of a command that it ran. */
public final class ExitCode {

    public static final int OK = 0;

    /** The answer is no: nobody had the lock; the token was not live; the doctor found a problem. */
    public static final int NO = 1;

    /** The user must change something: an option, the URL, the password, a missing table. */
    public static final int MISTAKE = 2;

    /** A defect of dibs. */
    public static final int DEFECT = 70;

    /** Another process has the lock. */
    public static final int NOT_ACQUIRED = 75;

    /** The lease was lost while the command ran, and the command was ended. */
    public static final int LEASE_LOST = 76;

    /** The token or the code is not valid. */
    public static final int TOKEN_REFUSED = 77;

    /** It failed a short time ago and is not tried again yet. */
    public static final int FAILED_LATELY = 78;

    /** As in a shell: the command exists but cannot be run. */
    public static final int NOT_EXECUTABLE = 126;

    /** As in a shell: there is no such command. */
    public static final int NOT_FOUND = 127;

    /** As in a shell: ended by the signal of that number. */
    public static final int SIGNAL = 128;

    private ExitCode() {}
}
