package dev.dibs;

/**
 * The lease is no longer ours: it expired without a renewal, was broken by force, or was taken over.
 *
 * <p>Stop at once when you catch this, and roll back all that is not committed.
 */
public final class LeaseLostException extends DibsException {

    private static final long serialVersionUID = 1;

    private final String name;
    private final long fencingToken;

    /** For Dibs itself, and for a {@link Lease} of an application's own tests. */
    public LeaseLostException(String name, long fencingToken, String reason) {
        super("the lease on '" + name + "' (fencing token " + fencingToken + ") is lost: " + reason);
        this.name = name;
        this.fencingToken = fencingToken;
    }

    /** The lock's name. */
    public String name() {
        return name;
    }

    /** The fencing token of the lost lease. */
    public long fencingToken() {
        return fencingToken;
    }
}
