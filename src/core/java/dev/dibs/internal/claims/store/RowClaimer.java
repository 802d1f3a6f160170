package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Steps;
import java.util.List;

/**
 * What claims rows: a store alone, or {@link PerKeyClaims} over it.
 *
 * @param <T> the type that a row is mapped to
 */
public interface RowClaimer<T> {

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

    /** Before the first claim, after {@link #trial}. */
    default void open(Opening opening) {}

    /** A call of each statement that has names or SQL of the user's, with a token that no row has. */
    List<Call<?>> trial();
}
