package dev.dibs.internal.claims.store;

import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.run.Params;
import dev.dibs.internal.sql.run.Steps;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A store whose rows can be claimed in turn, by {@code turns.sql}. */
interface TurnStore<T> extends ClaimStore<T> {

    /**
     * What the names in {@code turns.sql} stand for.
     *
     * @param chosen whether the token is the caller's and may have rows already
     */
    Map<String, String> turnChoices(boolean chosen);

    /** The values that each of its statements may use. */
    Params params(String token);

    /**
     * Claims rows by a statement of {@code turns.sql}.
     *
     * @param groups learns from the answer where the claim has ended; null if the caller has chosen the rows
     */
    Steps<ClaimedRow<T>> claimInTurn(Statements turns, Params params, String token, @Nullable TurnGroups groups);
}
