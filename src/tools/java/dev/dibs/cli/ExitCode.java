package dev.dibs.cli;

/** What the command returns besides zero, and besides the exit code of a command that it ran. */
final class ExitCode {

    static final int OK = 0;

    /** The answer is no: nobody had the lock; the token was not live; the doctor found something. */
    static final int NO = 1;

    /** Something must be done differently: an option, the url, the password, a missing table. */
    static final int MISTAKE = 2;

    /** A defect of ours. */
    static final int DEFECT = 70;

    /** Somebody else has the lock. */
    static final int NOT_ACQUIRED = 75;

    /** The lease was lost while the command ran, and the command was ended. */
    static final int LEASE_LOST = 76;

    /** The token or the code is not good. */
    static final int TOKEN_REFUSED = 77;

    /** It failed a short time ago and is not tried again yet. */
    static final int FAILED_LATELY = 78;

    /** As a shell has it: the command is there but cannot be run. */
    static final int NOT_EXECUTABLE = 126;

    /** As a shell has it: there is no such command. */
    static final int NOT_FOUND = 127;

    /** As a shell has it: ended by the signal of that number. */
    static final int SIGNAL = 128;

    private ExitCode() {}
}
