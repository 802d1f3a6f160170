package dev.dibs.cli.once;

/** The command has ended with a nonzero exit code. */
final class CommandFailed extends Exception {

    private static final long serialVersionUID = 1;

    private final int exitCode;

    CommandFailed(int exitCode) {
        super("exit code " + exitCode);
        this.exitCode = exitCode;
    }

    /** This text is recorded, and shown to people, who do not know the name of a class. */
    @Override
    @SuppressWarnings("OverrideThrowableToString")
    public String toString() {
        return String.valueOf(getMessage());
    }

    int exitCode() {
        return exitCode;
    }
}
