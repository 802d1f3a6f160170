package dev.dibs.cli;

/** A problem that the user can solve; the message is one line that says how. */
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
