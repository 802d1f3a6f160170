package dev.dibs.internal.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.store.ClaimStore;
import dev.dibs.internal.claims.store.ClaimStore.Change;
import dev.dibs.internal.claims.store.ClaimTable;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.claims.store.RowClaimer;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.errors.SqlFailure.Outcome;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.OwnerToken;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Claims rows of one table, and changes, renews and releases them. The store makes the steps of each operation, and the database runs them.
 *
 * <p>On connections of our own it sends again what the database rolled back, and finds out about lost answers: see {@link RetryPolicy}.
 *
 * <p>Safe for use by any thread.
 */
public final class ClaimEngine<T> {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(30);

    final Context context;
    private final Database database;
    private final ClaimStore<T> store;
    private final RowClaimer<T> claimer;
    private final ClaimTable table;
    final ClaimKeeper keeper;
    private final Duration lease;
    private final Duration timeout;

    ClaimEngine(
            Context context,
            ClaimStore<T> store,
            RowClaimer<T> claimer,
            ClaimTable table,
            ClaimKeeper keeper,
            Duration lease) {
        this.context = context;
        this.database = context.database();
        this.store = store;
        this.claimer = claimer;
        this.table = table;
        this.keeper = keeper;
        this.lease = lease;
        this.timeout = store.hasLease() && lease.compareTo(LONGEST_TIMEOUT) < 0 ? lease : LONGEST_TIMEOUT;
    }

    /**
     * Claims up to n free rows.
     *
     * @param chosen the caller's token; null for a fresh one for each try, since a token is never sent twice
     */
    HeldClaim<T> claim(@Nullable String chosen, int n) {
        context.requireOpen();
        try {
            HeldClaim<T> claim = Retry.run(RetryPolicy.CLAIM.begin(), () -> {
                // An earlier try may have claimed rows, perhaps that of a caller before us: now, or after this look.
                Term term = term();
                HeldClaim<T> found = chosen == null ? null : existing(chosen);
                if (found != null) {
                    return found;
                }
                String token = chosen == null ? OwnerToken.next() : chosen;
                Steps<ClaimedRow<T>> claiming = claimer.claim(token, n, chosen != null);
                try {
                    List<ClaimedRow<T>> unused = database.run(claiming, timeout, Retry::rest);
                } catch (SqlFailure e) {
                    if (e.outcome() != Outcome.UNKNOWN) {
                        throw e;
                    }
                    return adopt(token, e);
                }
                if (!isLate(claiming, term)) {
                    return keep(token, claiming, term);
                }
                // The rows may be another's already. Those that are not are released, so that the next try finds them.
                abandon(token, true);
                List<RowKey> unused = run(store.releaseToken(token));
                return null;
            });
            if (claim == null) {
                throw new DatabaseFailureException(
                        "the answers of the database came later than the claim's lease lasts");
            }
            claim.hasChosenToken = chosen != null;
            return claim;
        } catch (SqlFailure | InterruptedException e) {
            throw explained(e);
        }
    }

    /** A claim whose answer was lost, or whose answer is an error of a part. */
    private HeldClaim<T> adopt(String token, SqlFailure lost) throws SqlFailure {
        try {
            HeldClaim<T> found = Retry.afterLostAnswer(lost, () -> existing(token), () -> abandon(token, true));
            if (found != null) {
                return found;
            }
        } catch (InterruptedException e) {
            throw explained(e);
        }
        throw new DatabaseFailureException(
                context.errors().explain(lost).getMessage() + " (its token is " + token + ")", lost.getCause());
    }

    HeldClaim<T> find(String token) {
        return context.ask(() -> look(token));
    }

    private @Nullable HeldClaim<T> existing(String token) throws SqlFailure {
        HeldClaim<T> found = look(token);
        return found.isEmpty() ? null : found;
    }

    /** The rows may have been claimed long ago. They are ours for a lease length only after a renewal; else they are released. */
    private HeldClaim<T> look(String token) throws SqlFailure {
        keeper.cancelAbandon(token);
        Term term = term();
        Steps<ClaimedRow<T>> finding = store.find(token);
        List<ClaimedRow<T>> unusedRows = database.run(finding, timeout, Retry::rest);
        HeldClaim<T> claim = new HeldClaim<>(this, token, finding, term, true);
        if (store.hasLease()) {
            ClaimResult unused = renew(claim, database, timeout);
        }
        keeper.keep(claim);
        return claim;
    }

    /** The same operations in the caller's transaction. */
    public JoinedClaims<T> on(Connection connection) {
        return new JoinedClaims<>(this, connection);
    }

    Collection<RowKey> complete(HeldClaim<T> claim, List<RowKey> keys) {
        if (keys.isEmpty()) {
            return keys;
        }
        try (RowChange change = claim.change(keys)) {
            return complete(claim, change);
        }
    }

    private Collection<RowKey> complete(HeldClaim<T> claim, RowChange change) {
        Collection<RowKey> changed = change.appliedRows(send(claim, Change.COMPLETE, change, change.keys(), 0));
        change.requireKnown(changed, table.table());
        claim.done(change.keys());
        return changed;
    }

    /** Completes rows, and claims the next ones in the same transaction. */
    NextClaim<T> completeAndClaim(HeldClaim<T> current, List<RowKey> keys, int n) {
        if (keys.isEmpty()) {
            return new NextClaim<>(new ClaimResult(List.of(), List.of()), claim(null, n));
        }
        try (RowChange change = current.change(keys)) {
            String next = OwnerToken.next();
            Term term = term();
            Steps<RowKey> completing = completing(current, keys);
            Steps<ClaimedRow<T>> claiming = claimer.claim(next, n, false);
            try {
                run(Steps.together(List.of(completing, claiming)));
                current.done(keys);
                return new NextClaim<>(ClaimedKeys.result(keys, completing.result()), keep(next, claiming, term));
            } catch (SqlFailure e) {
                if (e.outcome() == Outcome.UNKNOWN) {
                    abandon(next, false);
                    if (completing.isFinished()) {
                        current.done(keys);
                        return thenClaim(ClaimedKeys.result(keys, completing.result()), n);
                    }
                    change.answerLost();
                } else if (e.outcome() != Outcome.ROLLED_BACK && e.outcome() != Outcome.NOT_SENT) {
                    throw context.errors().explain(e);
                }
            }
            return thenClaim(ClaimedKeys.result(keys, complete(current, change)), n);
        }
    }

    private NextClaim<T> thenClaim(ClaimResult completed, int n) {
        try {
            return new NextClaim<>(completed, claim(null, n));
        } catch (DatabaseFailureException e) {
            throw new DatabaseFailureException(ClaimedKeys.completedOnly(completed) + e.getMessage(), e.getCause());
        }
    }

    /**
     * Releases or postpones rows; returns those that it has changed. Locked rows, perhaps locked by our own renewal, are asked for a few
     * times. If they are still locked, they stay with the claim, which releases them when it is closed.
     */
    Collection<RowKey> change(HeldClaim<T> claim, Change kind, List<RowKey> keys, long delayMillis) {
        if (keys.isEmpty()) {
            return keys;
        }
        try (RowChange change = claim.change(keys)) {
            Set<RowKey> answered = new LinkedHashSet<>();
            Set<RowKey> locked = new LinkedHashSet<>(keys);
            Retry.run(RetryPolicy.LOCKED_ROWS.begin(), () -> {
                List<RowKey> done = send(claim, kind, change, List.copyOf(locked), delayMillis);
                answered.addAll(done);
                done.forEach(locked::remove);
                if (!locked.isEmpty()) {
                    locked.retainAll(run(store.stillHeld(claim.token(), List.copyOf(locked))));
                }
                return locked.isEmpty() ? locked : null;
            });
            claim.done(ClaimedKeys.without(keys, locked));
            return ClaimedKeys.without(List.copyOf(change.appliedRows(answered)), locked);
        } catch (SqlFailure | InterruptedException e) {
            throw explained(e);
        }
    }

    /** Sends a change until it is answered; returns the rows that the last answer has. */
    private List<RowKey> send(HeldClaim<T> claim, Change kind, RowChange change, List<RowKey> keys, long delayMillis) {
        context.requireOpen();
        try {
            List<RowKey> answered = Retry.run(RetryPolicy.CLAIM.begin(), () -> {
                try {
                    return database.run(changing(claim, kind, keys, delayMillis), timeout, Retry::rest);
                } catch (SqlFailure e) {
                    if (e.outcome() == Outcome.UNKNOWN) {
                        change.answerLost();
                    }
                    throw e;
                }
            });
            return answered == null ? List.of() : answered;
        } catch (SqlFailure | InterruptedException e) {
            throw e instanceof SqlFailure part && part.isPartly() ? claim.refused(change, keys, part) : explained(e);
        }
    }

    public Steps<RowKey> changing(HeldClaim<T> claim, Change kind, List<RowKey> keys, long delayMillis) {
        return store.change(kind, claim.token(), keys, delayMillis, claim.unfinishedKeys());
    }

    public Steps<RowKey> completing(HeldClaim<T> claim, List<RowKey> keys) {
        return changing(claim, Change.COMPLETE, keys, 0);
    }

    ClaimResult renew(HeldClaim<T> claim) {
        return context.ask(() -> renew(claim, database, timeout));
    }

    /**
     * The same on any thread. If a row was not renewed but still has our token, it is locked just now: it is soon renewed again.
     *
     * @param with the calling thread's
     */
    ClaimResult renew(HeldClaim<T> claim, Database with, Duration atMost) throws SqlFailure {
        List<RowKey> keys = claim.heldKeys();
        Map<RowKey, Long> completedByCaller = claim.state.completedByCaller();
        Term next = term();
        claim.renewing(next);
        if (keys.isEmpty()) {
            return new ClaimResult(List.of(), List.of());
        }
        String token = claim.token();
        List<RowKey> rest = ClaimedKeys.without(
                keys, with.run(store.change(Change.RENEW, token, keys, 0, keys), atMost, Retry::rest));
        List<RowKey> locked = rest.isEmpty() ? rest : with.run(store.stillHeld(token, rest), atMost, Retry::rest);
        List<RowKey> gone = ClaimedKeys.without(rest, locked);
        claim.state.renewed(ClaimedKeys.without(keys, rest), rest, next, completedByCaller);
        if (!locked.isEmpty()) {
            claim.renewAt(keeper.soon());
        }
        return new ClaimResult(ClaimedKeys.without(keys, gone), claim.lose(gone));
    }

    /** Releases the rows of a closed claim. Rows that stay locked, perhaps by the caller's own transaction, are released later. */
    void release(HeldClaim<T> claim, List<RowKey> keys) {
        keeper.releasing(claim);
        try {
            if (!keys.isEmpty() && !isReleased(claim, keys)) {
                abandon(claim.token(), claim.hasChosenToken);
            }
        } finally {
            keeper.released();
        }
    }

    private boolean isReleased(HeldClaim<T> claim, List<RowKey> keys) {
        try {
            Set<RowKey> left = new LinkedHashSet<>(keys);
            Retry.uninterrupted(RetryPolicy.RELEASE, () -> {
                List<RowKey> rest = List.copyOf(left);
                run(store.change(Change.RELEASE, claim.token(), rest, 0, rest)).forEach(left::remove);
                return left.isEmpty() ? left : null;
            });
            return left.isEmpty();
        } catch (SqlFailure | RuntimeException e) {
            LOG.log(Level.DEBUG, "The release of a claim is left to the background", e);
            return false;
        }
    }

    List<RowKey> release(String token) {
        return context.ask(() -> run(store.releaseToken(token)));
    }

    /** How many rows are to be processed, claimed or not. */
    long count() {
        return context.ask(() -> run(Steps.of(store.count()))).get(0);
    }

    /** Whether any row is to be processed, claimed or not. */
    public boolean isSomethingLeft() throws SqlFailure {
        return !run(Steps.of(store.left(List.of()))).isEmpty();
    }

    /** The dead rows that are to be processed, whichever run gave them up. */
    public List<RowKey> dead() throws SqlFailure {
        return run(store.dead());
    }

    /** Runs steps once, in transactions of our own. */
    public <R> List<R> run(Steps<R> steps) throws SqlFailure {
        context.requireOpen();
        return database.run(steps, timeout, Retry::rest);
    }

    /**
     * Keeps rows that were claimed: they are renewed until they are completed, released or lost. If the answer came too late, they are lost
     * already, and released in the background.
     */
    public HeldClaim<T> keep(String token, Steps<ClaimedRow<T>> claiming, Term sent) {
        if (isLate(claiming, sent)) {
            abandon(token, true);
        }
        HeldClaim<T> claim = new HeldClaim<>(this, token, claiming, claiming.termOr(sent), true);
        keeper.keep(claim);
        return claim;
    }

    /** Whether the answer came when the time of the claim was over. */
    private boolean isLate(Steps<ClaimedRow<T>> claiming, Term sent) {
        return store.hasLease()
                && claiming.termOr(sent).isOver()
                && !claiming.result().isEmpty();
    }

    /** A claim with this token may still be on its way, and nobody relies on it. If a caller knows it, that may claim with it again. */
    public void abandon(String token, boolean isKnown) {
        keeper.abandon(store, table.table(), token, isKnown);
    }

    /** A term of a lease that begins now. */
    public Term term() {
        return Term.from(context.clock(), lease.toMillis());
    }

    public ClaimStore<T> store() {
        return store;
    }

    public RowClaimer<T> claimer() {
        return claimer;
    }

    public ClaimTable table() {
        return table;
    }

    @Override
    public String toString() {
        return "RowClaims[" + table.table() + "]";
    }

    private DatabaseFailureException explained(Exception e) {
        if (e instanceof SqlFailure failure) {
            return context.errors().explain(failure);
        }
        Thread.currentThread().interrupt();
        return new DatabaseFailureException("the thread was interrupted while the database kept failing", e);
    }
}
