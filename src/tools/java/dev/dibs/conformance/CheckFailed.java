package dev.dibs.conformance;

/** The client has broken a rule of the protocol. */
final class CheckFailed extends Exception {

    private static final long serialVersionUID = 1L;

    CheckFailed(String message) {
        super(message);
    }

    static void unless(boolean holds, String message) throws CheckFailed {
        if (!holds) {
            throw new CheckFailed(message);
        }
    }
}
