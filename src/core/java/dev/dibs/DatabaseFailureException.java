package dev.dibs;

import org.jspecify.annotations.Nullable;

/**
 * The database cannot be reached, refused a statement or gave no clear answer. Or it is not as Dibs needs it: a table is missing, or
 * no dialect fits.
 *
 * <p>The message says what to do. The cause is the driver's {@code SQLException}, if there is one. This exception never means that
 * a lock is busy.
 */
public final class DatabaseFailureException extends DibsException {

    private static final long serialVersionUID = 1;

    /** For Dibs itself, and for an application's own tests: without a cause. */
    public DatabaseFailureException(String message) {
        this(message, null);
    }

    /** For Dibs itself, and for an application's own tests. */
    @SuppressWarnings("exports")
    public DatabaseFailureException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
