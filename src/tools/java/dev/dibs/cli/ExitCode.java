package dev.dibs.cli;

/** The exit codes of the command, besides zero and those of a command that it ran. */
final class ExitCode {

    static final int OK = 0;

    /** The answer is no: nobody had the lock; the token was not live; the doctor found a problem. */
    static final int NO = 1;

    /** The user must change something: an option, the URL, the password, a missing table. */
    static final int MISTAKE = 2;

    /** A defect of dibs. */
    static final int DEFECT = 70;

    /** Another process has the lock. */
    static final int NOT_ACQUIRED = 75;

    /** The lease was lost while the command ran, and the command was ended. */
    static final int LEASE_LOST = 76;

    /** The token or the code is not valid. */
    static final int TOKEN_REFUSED = 77;

    /** It failed a short time ago and is not tried again yet. */
    static final int FAILED_LATELY = 78;

    /** As in a shell: the command exists but cannot be run. */
    static final int NOT_EXECUTABLE = 126;

    /** As in a shell: there is no such command. */
    static final int NOT_FOUND = 127;

    /** As in a shell: ended by the signal of that number. */
    static final int SIGNAL = 128;

    private ExitCode() {}
}
