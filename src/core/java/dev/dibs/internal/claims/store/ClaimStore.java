package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.run.Call;
import dev.dibs.internal.sql.run.Steps;
import java.util.List;

/**
 * Where claims are stored: makes the steps of each operation, which are sent once, alone or with others.
 *
 * @param <T> the type that a row is mapped to
 */
public interface ClaimStore<T> {

    /** The token of dead rows. */
    String DEAD = "dibs-dead";

    /** The operations on claimed rows. */
    enum Change {
        RENEW,
        COMPLETE,
        RELEASE,
        /** No claim gets it before some time has passed. */
        POSTPONE,
        /** No claim gets it until it is redriven. */
        DEAD_LETTER
    }

    /** Claims up to n free rows; none if the token is the caller's and has some already. */
    Steps<ClaimedRow<T>> claim(String token, int n, boolean chosen);

    /**
     * Claims up to n free rows for a worker that has just claimed some. Free rows before {@code front}, the first one of these, may be left
     * out.
     */
    default Steps<ClaimedRow<T>> claimFrom(RowKey front, String token, int n) {
        return claim(token, n, false);
    }

    /** Whether {@link #claimFrom} leaves rows out. */
    default boolean keepsFront() {
        return false;
    }

    Steps<ClaimedRow<T>> find(String token);

    /** The keys of those of the rows that have the token and have not expired, whether locked or not. */
    Steps<RowKey> stillHeld(String token, List<RowKey> keys);

    /**
     * Changes those of the rows that still have the token; answers their keys.
     *
     * @param delayMillis for POSTPONE
     * @param held all rows of the claim that may still be its own in the database, in order: also those that expired here
     */
    Steps<RowKey> change(Change change, String token, List<RowKey> keys, long delayMillis, List<RowKey> held);

    Steps<RowKey> releaseToken(String token);

    /** A row if any row is left that is not dead, claimed or not. */
    Call<Boolean> left();

    /** The keys of the dead rows, whichever run gave them up. */
    Steps<RowKey> dead();

    /** The number of rows that are not dead, claimed or not. */
    Call<Long> count();

    /** A call of each statement that has names or SQL of the user's, with a token that no row has. */
    List<Call<?>> trial();

    /** Whether two callers may add the same row at the same instant; if not, a duplicate key is an error of the user's table. */
    default boolean makesRows() {
        return true;
    }

    /** Whether a claim ends by time. */
    boolean hasLease();
}
