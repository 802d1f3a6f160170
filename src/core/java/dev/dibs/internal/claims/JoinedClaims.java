package dev.dibs.internal.claims;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.guarded.JoinedTransaction;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.OwnerToken;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Claims in the caller's transaction, which decides whether they happen. Nothing is sent again there. */
public record JoinedClaims<T>(ClaimEngine<T> engine, Connection connection) {

    /**
     * Claims up to n free rows.
     *
     * @param chosen the caller's token; null for a fresh one
     */
    public HeldClaim<T> claim(@Nullable String chosen, int n) {
        // H2's clock stands still in the caller's transaction, so that the lease counts from the first look there.
        Term term = engine.term();
        if (chosen != null) {
            HeldClaim<T> found = find(chosen);
            if (!found.isEmpty()) {
                return found;
            }
        }
        String token = chosen == null ? OwnerToken.next() : chosen;
        return claim(token, engine.claimer().claim(token, n, chosen != null), term);
    }

    HeldClaim<T> find(String token) {
        engine.keeper.cancelAbandon(token);
        Term term = engine.term();
        return claim(token, engine.store().find(token), term);
    }

    private HeldClaim<T> claim(String token, Steps<ClaimedRow<T>> steps, Term term) {
        List<ClaimedRow<T>> unused = run(steps);
        return new HeldClaim<>(engine, token, steps, term, false);
    }

    List<RowKey> complete(HeldClaim<T> claim, List<RowKey> keys) {
        return run(engine.completing(claim, keys));
    }

    public <R> List<R> run(Steps<R> steps) {
        Context context = engine.context;
        context.requireOpen();
        JoinedTransaction.require(connection, "a claim that joins a transaction", "or leave the connection away");
        try {
            return context.database().runOn(connection, steps);
        } catch (SqlFailure e) {
            throw context.errors().explainJoined(e);
        }
    }
}
