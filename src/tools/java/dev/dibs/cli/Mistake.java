package dev.dibs.cli;

/** Something that the user can set right; the message is the one line that says how. */
final class Mistake extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int exitCode;

    Mistake(String message) {
        this(ExitCode.MISTAKE, message);
    }

    Mistake(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
