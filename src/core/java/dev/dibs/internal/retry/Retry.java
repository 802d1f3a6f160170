package dev.dibs.internal.retry;

import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.HeldInterrupt;
import java.lang.System.Logger.Level;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sends a call again, as often as its {@link RetryPolicy} allows. */
public final class Retry {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    /** Sends the call once. */
    public interface Call<T> {
        /** Returns the answer; null if it decides nothing, so that the call must be sent again. */
        @Nullable
        T send() throws SqlFailure;
    }

    private Retry() {}

    /**
     * Sends it until there is an answer.
     *
     * @return null if the last answer decided nothing
     * @throws SqlFailure the last failure
     * @throws InterruptedException if the thread is interrupted between two tries
     */
    public static <T> @Nullable T run(Patience patience, Call<T> attempt) throws SqlFailure, InterruptedException {
        while (true) {
            try {
                T answer = attempt.send();
                if (answer != null || !patience.allowsCollision()) {
                    return answer;
                }
            } catch (SqlFailure e) {
                if (!patience.allows(e)) {
                    throw e;
                }
            }
            patience.pause();
        }
    }

    /** The same where the outcome must be known: an interrupt is kept for the caller. */
    public static <T> @Nullable T uninterrupted(RetryPolicy policy, Call<T> attempt) throws SqlFailure {
        Patience patience = policy.begin();
        try (HeldInterrupt interrupt = new HeldInterrupt()) {
            while (true) {
                try {
                    return run(patience, attempt);
                } catch (InterruptedException e) {
                    interrupt.add();
                }
            }
        }
    }

    /** Sends the rest of an operation of which a part is committed until it is answered. */
    public static void rest(Steps.Send rest) throws SqlFailure {
        uninterrupted(RetryPolicy.REST, () -> {
            rest.send();
            return true;
        });
    }

    /**
     * Finds out whether a call took effect whose answer was lost, or is the error of a part. If that is not seen after a lost answer, its
     * token must never be used again: the statement may still be on its way.
     *
     * @param lookUp returns null if the call has not taken effect, perhaps only for now
     * @param abandon releases in the background what the call may still create, or has left; also after an error or an interrupt
     * @throws SqlFailure the error of the part, if the whole did not take effect
     */
    public static <T> @Nullable T afterLostAnswer(SqlFailure lost, Call<T> lookUp, Runnable abandon)
            throws SqlFailure, InterruptedException {
        T found = null;
        try {
            Optional<T> answer = run(RetryPolicy.LOOK_UP.begin(), () -> Optional.ofNullable(lookUp.send()));
            found = answer == null ? null : answer.orElse(null);
        } catch (SqlFailure e) {
            LOG.log(Level.DEBUG, "A call could not be looked up after a lost answer", e);
            return null;
        } finally {
            if (found == null) {
                abandon.run();
            }
        }
        if (found == null && lost.isPartly()) {
            throw lost.undone();
        }
        return found;
    }
}
