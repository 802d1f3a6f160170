package dev.dibs.internal.tokens;

import dev.dibs.Acquirable;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Lease;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.schema.CapabilityPart;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Deadline;
import dev.dibs.internal.values.Names;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenCounts;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** The tokens of one Dibs. Get it by {@code Dibs.tokens(..)}. */
public final class Tokens implements CapabilityPart {

    private static final int LONGEST_PURPOSE = 100;

    final Context context;
    final TokenPurge purge;
    final Function<String, Acquirable<Lease>> locks;

    /**
     * For one instance.
     *
     * @param throttle for tasks that run once in a while over all nodes
     */
    public Tokens(Context context, Function<String, Acquirable<Lease>> locks, Throttle throttle) {
        this.context = context;
        this.locks = locks;
        this.purge = new TokenPurge(context, throttle);
    }

    /** See {@code Dibs.tokens(String)}. */
    public OneTimeTokens of(String purpose) {
        Names.check("purpose", Names.checkStripped("purpose", purpose), LONGEST_PURPOSE);
        return new DatabaseTokens(this, new TokenTable(context.database(), purpose));
    }

    /**
     * See {@code Dibs.tokenCounts()}.
     *
     * @throws DatabaseFailureException if the database gives no answer
     */
    public List<TokenCounts> counts() {
        context.requireOpen();
        if (!context.schema().isListable("count_all_tokens")) {
            return List.of();
        }
        return ask("counting", () -> TokenTable.counts(context.database()));
    }

    /**
     * Sends a call until there is an answer, for some seconds. It must do no harm if it is sent twice.
     *
     * @throws DatabaseFailureException if there is none, or the thread is interrupted between two tries; its interrupt flag is set then
     */
    <T> T ask(String what, Retry.Call<T> attempt) {
        context.requireOpen();
        try {
            T answer = Retry.run(RetryPolicy.TOKEN.begin(), attempt);
            if (answer == null) {
                throw new DatabaseFailureException(what + " kept colliding with others; try again");
            }
            return answer;
        } catch (SqlFailure e) {
            throw context.errors().explainHarmless(e.ofOneChange());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DatabaseFailureException(what + " was interrupted before the database had answered", e);
        }
    }

    /** Ends the background thread. */
    @Override
    public void close(Duration patience) {
        purge.close(Deadline.in(patience.dividedBy(10)));
    }
}
