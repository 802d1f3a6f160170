package dev.dibs;

import dev.dibs.internal.values.Texts;
import org.jspecify.annotations.Nullable;

/**
 * An operation failed: the database cannot be reached, a table is missing, or a statement was refused.
 *
 * <p>The message says what to do. The cause is the driver's {@code SQLException}, if there is one. This exception never means that
 * a lock is busy.
 */
public final class DibsException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** For Dibs itself. */
    @SuppressWarnings("exports")
    public DibsException(String message, @Nullable Throwable cause) {
        super(Texts.oneLine(message), cause);
    }
}
