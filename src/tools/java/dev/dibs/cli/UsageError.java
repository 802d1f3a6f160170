package dev.dibs.cli;

/** Something that the user can set right; the message is the one line that says how. */
final class UsageError extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int exitCode;

    UsageError(String message) {
        this(ExitCode.MISTAKE, message);
    }

    UsageError(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
