package dev.dibs.cli;

/** The command has ended with another exit code than zero. */
final class CommandFailed extends Exception {

    private static final long serialVersionUID = 1;

    private final int exitCode;

    CommandFailed(int exitCode) {
        super("exit code " + exitCode);
        this.exitCode = exitCode;
    }

    /** What is recorded, and shown to people: the name of a class says nothing to them. */
    @Override
    @SuppressWarnings("OverrideThrowableToString")
    public String toString() {
        return String.valueOf(getMessage());
    }

    int exitCode() {
        return exitCode;
    }
}
