package dev.dibs.cli.verb;

/** A problem that the user can solve; the message is one line that says how. */
public final class UsageError extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int exitCode;

    public UsageError(String message) {
        this(ExitCode.MISTAKE, message);
    }

    public UsageError(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    public int exitCode() {
        return exitCode;
    }
}
