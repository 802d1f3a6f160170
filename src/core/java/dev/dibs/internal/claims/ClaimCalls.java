package dev.dibs.internal.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.store.ClaimStore;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.retry.Backoff;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.OwnerToken;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Claims and changes rows on connections of our own. It sends again what the database rolled back, and finds out about lost answers.
 *
 * <ol>
 *   <li>A claim without an answer is looked up by its token. Found: it is ours. Not found: it may still be on its way, so its token is
 *       abandoned for good, and released in the background.
 *   <li>A completion without an answer is sent again. Rows that are no longer ours then, while our lease has not expired, were completed by
 *       the first statement: nobody else can have changed them.
 * </ol>
 */
final class ClaimCalls {

    private static final int LOOK_UPS = 5;

    private ClaimCalls() {}

    static <T> HeldClaim<T> claim(DatabaseClaims<T> claims, String token, int n, boolean again) {
        if (again) {
            HeldClaim<T> found = find(claims, token);
            if (!found.isEmpty()) {
                return found;
            }
        }
        Patience patience = RetryPolicy.CLAIM.begin();
        Backoff backoff = new Backoff();
        String attempt = token;
        while (true) {
            Term term = term(claims);
            ClaimStore.Asked<ClaimedRow<T>> asked = claims.store().claim(attempt, n, again);
            try {
                claims.send(asked);
                if (!claims.store().hasLease() || !term.isOver()) {
                    return keep(claims, attempt, asked.rows(), term);
                }
                claims.keeper().abandon(claims.store(), attempt);
            } catch (SqlFailure e) {
                if (e.outcome() == SqlFailure.Outcome.UNKNOWN) {
                    return adopt(claims, attempt, e);
                }
                requireRetry(claims, e, patience);
            }
            pause(backoff);
            if (again) {
                // An earlier attempt of the caller may have been on its way, and may have arrived before this one.
                HeldClaim<T> found = find(claims, token);
                if (!found.isEmpty()) {
                    return found;
                }
            } else {
                // A token is never sent twice.
                attempt = OwnerToken.next();
            }
        }
    }

    static <T> HeldClaim<T> find(DatabaseClaims<T> claims, String token) {
        claims.keeper().wantAgain(token);
        Term term = term(claims);
        return keepRenewed(claims, token, claims.own(claims.store().find(token)), term);
    }

    /** Completes rows, and claims the next ones in the same transaction. */
    static <T> NextClaim<T> completeAndClaim(DatabaseClaims<T> claims, HeldClaim<T> current, List<RowKey> keys, int n) {
        if (keys.isEmpty()) {
            return new NextClaim<>(new ClaimResult(List.of(), List.of()), claims.claim(n));
        }
        return current.changing(keys, () -> completeAndClaimNow(claims, current, keys, n));
    }

    private static <T> NextClaim<T> completeAndClaimNow(
            DatabaseClaims<T> claims, HeldClaim<T> current, List<RowKey> keys, int n) {
        String next = OwnerToken.next();
        Sent sent = Sent.of(current, keys);
        Term term = term(claims);
        ClaimStore.Asked<RowKey> completing =
                claims.store().change(ClaimStore.Change.COMPLETE, current.token(), keys, 0, current.unfinishedKeys());
        ClaimStore.Asked<ClaimedRow<T>> claiming = claims.store().claim(next, n, false);
        try {
            claims.send(claiming.after(completing));
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.UNKNOWN) {
                claims.keeper().abandon(claims.store(), next);
            } else if (e.outcome() != SqlFailure.Outcome.ROLLED_BACK && e.outcome() != SqlFailure.Outcome.DUPLICATE) {
                throw claims.errors().explain(e);
            }
            Sent unanswered = e.outcome() == SqlFailure.Outcome.UNKNOWN ? sent : Sent.nothing();
            ClaimResult completed = change(claims, current, ClaimStore.Change.COMPLETE, keys, 0, unanswered);
            return new NextClaim<>(completed, claims.claim(n));
        }
        current.done(keys);
        return new NextClaim<>(result(keys, completing.rows()), keep(claims, next, claiming.rows(), term));
    }

    static <T> ClaimResult change(
            DatabaseClaims<T> claims,
            HeldClaim<T> claim,
            ClaimStore.Change change,
            List<RowKey> keys,
            long delayMillis) {
        return claim.changing(keys, () -> change(claims, claim, change, keys, delayMillis, Sent.nothing()));
    }

    /**
     * Changes rows of a claim. Locked rows, perhaps locked by our own renewal, are asked for a few times. If they are still locked, they
     * count as lost, but stay with the claim, which releases them when it is closed.
     *
     * @param unanswered what was sent before without an answer
     */
    private static <T> ClaimResult change(
            DatabaseClaims<T> claims,
            HeldClaim<T> claim,
            ClaimStore.Change change,
            List<RowKey> keys,
            long delayMillis,
            Sent unanswered) {
        Backoff backoff = new Backoff();
        Set<RowKey> done = new LinkedHashSet<>(send(claims, claim, change, keys, delayMillis, unanswered));
        List<RowKey> locked = locked(claims, claim, change, keys, done);
        for (int tries = 1; tries < LOOK_UPS && !locked.isEmpty(); tries++) {
            pause(backoff);
            done.addAll(send(claims, claim, change, locked, delayMillis, Sent.nothing()));
            locked = locked(claims, claim, change, locked, done);
        }
        Set<RowKey> over = new LinkedHashSet<>(keys);
        locked.forEach(over::remove);
        claim.done(over);
        return result(keys, done);
    }

    /** The rows that were skipped although they are ours. A completion skips none. */
    private static <T> List<RowKey> locked(
            DatabaseClaims<T> claims,
            HeldClaim<T> claim,
            ClaimStore.Change change,
            List<RowKey> keys,
            Set<RowKey> done) {
        List<RowKey> rest = keys.stream().filter(key -> !done.contains(key)).toList();
        return rest.isEmpty() || change == ClaimStore.Change.COMPLETE
                ? List.of()
                : claims.own(claims.store().still(claim.token(), rest));
    }

    private static <T> List<RowKey> send(
            DatabaseClaims<T> claims,
            HeldClaim<T> claim,
            ClaimStore.Change change,
            List<RowKey> keys,
            long delayMillis,
            Sent unanswered) {
        Sent sent = Sent.of(claim, keys);
        Patience patience = RetryPolicy.CLAIM.begin();
        Backoff backoff = new Backoff();
        while (true) {
            ClaimStore.Asked<RowKey> asked =
                    claims.store().change(change, claim.token(), keys, delayMillis, claim.unfinishedKeys());
            try {
                if (change == ClaimStore.Change.COMPLETE) {
                    claims.complete(asked);
                } else {
                    claims.send(asked);
                }
                return withUnanswered(claims, claim, change, unanswered, asked.rows());
            } catch (SqlFailure e) {
                if (e.outcome() == SqlFailure.Outcome.UNKNOWN) {
                    unanswered.add(sent);
                }
                requireRetry(claims, e, patience);
            }
            pause(backoff);
        }
    }

    /**
     * Rows that were sent for a change: those that were held, and those that were lost but may still be ours in the database. Rows that the
     * claim had released before are in neither: they were not changed.
     */
    private record Sent(Set<RowKey> held, Set<RowKey> lost) {

        static Sent nothing() {
            return new Sent(new LinkedHashSet<>(), new LinkedHashSet<>());
        }

        /** Recorded before they are sent: a renewal does not find completed rows either. */
        static Sent of(HeldClaim<?> claim, List<RowKey> keys) {
            Sent sent = nothing();
            for (RowKey key : keys) {
                if (claim.held().contains(key)) {
                    sent.held.add(key);
                } else if (claim.lost().contains(key)) {
                    sent.lost.add(key);
                }
            }
            return sent;
        }

        void add(Sent other) {
            held.addAll(other.held);
            lost.addAll(other.lost);
        }

        void removeAll(Collection<RowKey> answered) {
            answered.forEach(held::remove);
            answered.forEach(lost::remove);
        }
    }

    /**
     * If a row is not ours any more when the change is sent again, the first statement has changed it: nobody else can have claimed it
     * while its lease lasts. After the lease, the outcome is unknown.
     */
    private static List<RowKey> withUnanswered(
            DatabaseClaims<?> claims,
            HeldClaim<?> claim,
            ClaimStore.Change change,
            Sent unanswered,
            List<RowKey> answered) {
        unanswered.removeAll(answered);
        List<RowKey> done = new ArrayList<>(answered);
        Set<RowKey> unclear = new LinkedHashSet<>(unanswered.lost());
        unanswered.held().forEach(key -> (claim.isInTime(key) ? done : unclear).add(key));
        if (change == ClaimStore.Change.COMPLETE && !unclear.isEmpty()) {
            throw new DatabaseFailureException(
                    "whether the rows " + unclear + " of " + claims.table().table()
                            + " were completed is not known: the"
                            + " answer was lost, and when it was sent again the claim had expired; look in your table",
                    null);
        }
        return done;
    }

    private static ClaimResult result(List<RowKey> keys, Collection<RowKey> done) {
        Set<RowKey> lost = new LinkedHashSet<>(keys);
        done.forEach(lost::remove);
        List<RowKey> changed = keys.stream().filter(key -> !lost.contains(key)).toList();
        return new ClaimResult(changed, List.copyOf(lost));
    }

    private static Term term(DatabaseClaims<?> claims) {
        return Term.from(claims.keeper().clock(), claims.lease().toMillis());
    }

    private static <T> HeldClaim<T> keep(DatabaseClaims<T> claims, String token, List<ClaimedRow<T>> rows, Term term) {
        HeldClaim<T> claim = new HeldClaim<>(claims, token, rows, term, true);
        claims.keeper().keep(claim);
        return claim;
    }

    /** The rows may have been claimed long ago. They are ours for a lease length only after a renewal; else they are released. */
    private static <T> HeldClaim<T> keepRenewed(
            DatabaseClaims<T> claims, String token, List<ClaimedRow<T>> rows, Term term) {
        HeldClaim<T> claim = new HeldClaim<>(claims, token, rows, term, true);
        claim.renewIfLease();
        claims.keeper().keep(claim);
        return claim;
    }

    private static <T> HeldClaim<T> adopt(DatabaseClaims<T> claims, String token, SqlFailure failure) {
        Backoff backoff = new Backoff();
        for (int tries = 0; tries < LOOK_UPS; tries++) {
            Term term = term(claims);
            ClaimStore.Asked<ClaimedRow<T>> found = claims.store().find(token);
            try {
                claims.send(found);
                if (!found.rows().isEmpty()) {
                    return keepRenewed(claims, token, found.rows(), term);
                }
                break;
            } catch (SqlFailure e) {
                claims.errors().log("A claim could not be looked up after a lost answer", e);
            }
            pause(backoff);
        }
        claims.keeper().abandon(claims.store(), token);
        throw new DatabaseFailureException(
                claims.errors().explain(failure).getMessage() + " (its token is " + token + ")", failure.getCause());
    }

    private static void requireRetry(DatabaseClaims<?> claims, SqlFailure failure, Patience patience) {
        boolean isUsers = failure.outcome() == SqlFailure.Outcome.DUPLICATE
                && !claims.store().makesRows();
        if (isUsers || !patience.allows(failure)) {
            throw claims.errors().explain(failure);
        }
    }

    private static void pause(Backoff backoff) {
        try {
            TimeUnit.NANOSECONDS.sleep(backoff.nextNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DatabaseFailureException("the thread was interrupted while the database kept failing", e);
        }
    }
}
