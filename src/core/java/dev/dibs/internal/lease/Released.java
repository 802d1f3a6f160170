package dev.dibs.internal.lease;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import org.jspecify.annotations.Nullable;

/**
 * What the database answered to the release of a lease.
 *
 * @param failure why there is no answer, if that is known
 */
record Released(Answer answer, @Nullable SqlFailure failure) {

    enum Answer {
        /** It was ours until now, and is free. */
        DONE,
        /** It is ours, and its row is locked, or another statement ends it: it is free later. */
        LATER,
        /** It was not ours any more. */
        NOT_OURS,
        /** There is no answer: the release may have taken effect. */
        UNKNOWN
    }

    /** The usual answer. */
    static final Released DONE = new Released(Answer.DONE, null);

    static final Released UNANSWERED = new Released(Answer.UNKNOWN, null);

    static Released of(Answer answer) {
        return new Released(answer, null);
    }

    /** Whether the background has to release it. */
    boolean isPending() {
        return answer == Answer.LATER || answer == Answer.UNKNOWN;
    }

    /** For a caller that must know. */
    DatabaseFailureException unknown(String name) {
        Throwable cause = failure == null ? null : failure.getCause();
        return new DatabaseFailureException(
                "it is unknown whether '" + name + "' was still ours at its release: "
                        + (cause == null ? "no answer" : Secrets.masked(cause))
                        + ". The lease is closed, and the background goes on to release it",
                cause);
    }
}
