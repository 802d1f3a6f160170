package dev.dibs;

import dev.dibs.internal.values.Strings;
import org.jspecify.annotations.Nullable;

/**
 * The root of all exceptions of Dibs: {@link DatabaseFailureException}, {@link NotAcquiredException}, {@link LeaseLostException}. It
 * is thrown itself where none of them fits, as when a run does not exist. The message says what is wrong, and what to do.
 *
 * <p>A wrong argument is an {@code IllegalArgumentException}. A call at the wrong time is an {@code IllegalStateException}.
 */
public sealed class DibsException extends RuntimeException
        permits DatabaseFailureException, LeaseLostException, NotAcquiredException {

    private static final long serialVersionUID = 1;

    /** For Dibs itself: without a cause. */
    public DibsException(String message) {
        this(message, null);
    }

    /** For Dibs itself. */
    @SuppressWarnings("exports")
    public DibsException(String message, @Nullable Throwable cause) {
        super(Strings.oneLine(message), cause);
    }
}
