package dev.dibs.rows;

import dev.dibs.DibsException;
import dev.dibs.core.Arguments;
import dev.dibs.core.Term;
import dev.dibs.sql.SqlFailure;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Rows that are ours until they are completed or released.
 *
 * <p>A claim that ends by time is renewed in the background until it is closed. A row that was lost all the same, because no
 * renewal got through or somebody released it by force, is reported by {@link #onLost}, is no longer {@linkplain #isHeld held},
 * and completing it changes nothing: the result lists it as lost.
 *
 * <p>Safe for use by any thread.
 *
 * @param <T> what a row is mapped to
 */
public final class Claim<T> implements AutoCloseable {

    private final RowClaims<T> claims;
    private final String token;
    private final List<ClaimedRow<T>> rows;
    private final boolean own;
    private final Set<RowKey> held = ConcurrentHashMap.newKeySet();
    /** Not held any more, but not let go of either: those that have passed can still be changed as long as nobody has taken them. */
    private final Set<RowKey> lost = ConcurrentHashMap.newKeySet();

    private final AtomicReference<Term> term;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final List<Consumer<? super List<RowKey>>> callbacks = new CopyOnWriteArrayList<>();

    /** When the keeper should renew, as monotonic time. */
    volatile long renewAt;

    Claim(RowClaims<T> claims, String token, List<ClaimedRow<T>> rows, Term term, boolean own) {
        this.claims = claims;
        this.token = token;
        this.rows = List.copyOf(rows);
        this.own = own;
        this.term = new AtomicReference<>(term);
        rows.forEach(row -> held.add(row.key()));
        renewAt = term.sentNanos() + interval();
    }

    /** The random token that marks the rows. */
    public String token() {
        return token;
    }

    /** The keys of all rows that were claimed, in order. */
    public List<RowKey> keys() {
        return rows.stream().map(ClaimedRow::key).toList();
    }

    /**
     * All rows that were claimed, as they were then, in order.
     *
     * @throws DibsException if the mapper failed for one of them; the message names it
     */
    public List<T> rows() {
        List<T> values = new ArrayList<>();
        for (ClaimedRow<T> row : rows) {
            if (row.unreadable() != null) {
                throw new DibsException(
                        "the row " + row.key() + " can not be read: " + row.unreadable(), row.unreadable());
            }
            values.add(row.value());
        }
        return values;
    }

    /** Whether nothing was claimed. */
    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** How many rows were claimed. */
    public int size() {
        return rows.size();
    }

    /** Whether what is held of the claim is certainly still ours, by the local clock. */
    public boolean isValid() {
        Term now = term.get();
        return !closed.get() && (!claims.store().hasLease() || (!now.isOver() && !now.isInDoubt()));
    }

    /** Whether a row is certainly still ours: not completed, released or lost. */
    public boolean isHeld(Object key) {
        return held.contains(claims.table().check(key)) && isValid();
    }

    /**
     * Calls back with the keys of rows that were lost, on a thread of Dibs. May be called several times, for other rows each
     * time. What a callback throws is logged.
     */
    public void onLost(Consumer<? super List<RowKey>> callback) {
        callbacks.add(Arguments.required("callback", callback));
    }

    /**
     * Extends the claim now, for what is still held of it.
     *
     * @throws IllegalStateException if these claims do not end by time
     * @throws DibsException if the database can not be asked
     */
    public ClaimResult renew() {
        try {
            return renew(claims.sender());
        } catch (SqlFailure e) {
            throw claims.errors().explain(e);
        }
    }

    /** What was not renewed is locked just now, if the row still says that it is ours: then it is soon time again. */
    ClaimResult renew(ClaimStore.Sender sender) throws SqlFailure {
        List<RowKey> keys = heldKeys();
        Term next = Term.from(claims.keeper().clock(), claims.lease().toMillis());
        renewAt = next.sentNanos() + interval();
        if (keys.isEmpty()) {
            return new ClaimResult(List.of(), List.of());
        }
        List<RowKey> rest =
                missing(keys, send(sender, claims.store().change(ClaimStore.Change.RENEW, token, keys, 0, keys)));
        List<RowKey> locked =
                rest.isEmpty() ? rest : send(sender, claims.store().still(token, rest));
        List<RowKey> gone = missing(rest, locked);
        if (locked.isEmpty()) {
            extend(next);
        } else {
            renewAt = claims.keeper().soon();
        }
        return new ClaimResult(missing(keys, gone), lose(gone));
    }

    private static List<RowKey> send(ClaimStore.Sender sender, ClaimStore.Asked<RowKey> asked) throws SqlFailure {
        asked.sendBy(sender);
        return asked.rows();
    }

    private static List<RowKey> missing(List<RowKey> keys, Collection<RowKey> found) {
        Set<RowKey> missing = new LinkedHashSet<>(keys);
        found.forEach(missing::remove);
        return List.copyOf(missing);
    }

    private void extend(Term next) {
        Term now = term.get();
        while (!now.isOver() && next.isLaterThan(now) && !term.compareAndSet(now, next)) {
            now = term.get();
        }
    }

    /** Renews now; before the first one the rows may be left of an earlier time, and its end is not known. */
    void renewIfLease() {
        if (claims.store().hasLease()) {
            renew();
        }
    }

    /**
     * Completes all rows that are still held.
     *
     * @throws DibsException if the database can not be asked
     */
    public ClaimResult complete() {
        return complete(heldKeys());
    }

    /**
     * Completes some rows: runs the effect that the claims were built with and drops the mark, in one statement. A row that is
     * no longer ours is not changed and comes back as lost.
     *
     * @param keys {@link RowKey}s, or the values of a key of one column
     * @throws DibsException if the database can not be asked; or if its answer was lost and the claim has passed before it could be
     *     asked again, so that it is not known whether they were completed
     */
    public ClaimResult complete(Collection<?> keys) {
        return change(ClaimStore.Change.COMPLETE, keys, 0);
    }

    /**
     * Completes rows as a part of the caller's transaction. If it is rolled back they are still ours.
     *
     * @param keys {@link RowKey}s, or the values of a key of one column
     * @throws IllegalStateException if autocommit is on
     * @throws DibsException if the statement fails; roll back
     */
    public ClaimResult complete(Connection connection, Collection<?> keys) {
        Arguments.required("connection", connection);
        List<RowKey> checked = checked(keys);
        if (checked.isEmpty()) {
            return new ClaimResult(List.of(), List.of());
        }
        List<RowKey> done = claims.joined(
                connection, claims.store().change(ClaimStore.Change.COMPLETE, token, checked, 0, heldKeys()));
        List<RowKey> lost = missing(checked, done);
        return new ClaimResult(missing(checked, lost), lost);
    }

    /**
     * Completes all rows that are still held and claims the next ones, in one transaction and, where the database can, one
     * round trip.
     *
     * @param n from 1 to {@value RowClaims#LARGEST_CLAIM}
     * @throws DibsException if the database can not be asked
     */
    public NextClaim<T> completeAndClaim(int n) {
        return completeAndClaim(heldKeys(), n);
    }

    /**
     * Completes some rows and claims the next ones, in one transaction and, where the database can, one round trip. The other
     * rows of this claim stay claimed.
     *
     * @param keys {@link RowKey}s, or the values of a key of one column
     * @param n from 1 to {@value RowClaims#LARGEST_CLAIM}
     * @throws DibsException if the database can not be asked
     */
    public NextClaim<T> completeAndClaim(Collection<?> keys, int n) {
        return ClaimCalls.turn(claims, this, checked(keys), RowClaims.checkCount(n));
    }

    /**
     * Lets go of some rows, for the next one who claims. One that somebody keeps locked is passed over and comes back as lost; it
     * stays with the claim until that is closed.
     *
     * @param keys {@link RowKey}s, or the values of a key of one column
     * @throws DibsException if the database can not be asked
     */
    public ClaimResult release(Collection<?> keys) {
        return change(ClaimStore.Change.RELEASE, keys, 0);
    }

    /**
     * Lets go of some rows, but nobody gets them before a while has passed.
     *
     * @param keys {@link RowKey}s, or the values of a key of one column
     * @throws IllegalStateException if these claims do not end by time
     * @throws DibsException if the database can not be asked
     */
    public ClaimResult postpone(Collection<?> keys, Duration delay) {
        return change(
                ClaimStore.Change.POSTPONE,
                keys,
                Math.max(0, Arguments.required("delay", delay).toMillis()));
    }

    private ClaimResult change(ClaimStore.Change change, Collection<?> keys, long delayMillis) {
        List<RowKey> checked = checked(keys);
        if (checked.isEmpty()) {
            return new ClaimResult(List.of(), List.of());
        }
        return ClaimCalls.change(claims, this, change, checked, delayMillis);
    }

    private List<RowKey> checked(Collection<?> keys) {
        return Arguments.required("collection of keys", keys).stream()
                .map(claims.table()::check)
                .distinct()
                .toList();
    }

    /** Those that are still held, in the order in which they were claimed. */
    List<RowKey> heldKeys() {
        return keys().stream().filter(held::contains).toList();
    }

    /** These are no longer ours. */
    void done(Collection<RowKey> keys) {
        keys.forEach(key -> {
            held.remove(key);
            lost.remove(key);
        });
    }

    /**
     * Lets go of what is still held. Does nothing the second time, and never throws nor waits: what can not be released at once
     * is left to the background. A claim that joined the caller's transaction is not released: whether it happened is the
     * caller's to decide.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        claims.keeper().forget(this);
        List<RowKey> keys = heldKeys();
        held.clear();
        if (own && !keys.isEmpty()) {
            claims.keeper().release(claims, token, keys);
        }
    }

    /** Nothing got through in time: all that is held is lost. Returns the nanoseconds that are left until then. */
    long expire() {
        long left = term.get().remainingNanos();
        if (left <= 0) {
            lose(heldKeys());
        }
        return left;
    }

    /** Returns those that were held until now. */
    private List<RowKey> lose(List<RowKey> keys) {
        // First this, so that who sends them meanwhile finds them here or there.
        keys.stream().filter(held::contains).forEach(lost::add);
        List<RowKey> told = keys.stream().filter(held::remove).toList();
        if (!told.isEmpty()) {
            callbacks.forEach(callback -> claims.keeper().callBack(callback, told));
        }
        return told;
    }

    RowClaims<T> claims() {
        return claims;
    }

    List<ClaimedRow<T>> claimed() {
        return rows;
    }

    Set<RowKey> held() {
        return held;
    }

    Set<RowKey> lost() {
        return lost;
    }

    long interval() {
        return TimeUnit.MILLISECONDS.toNanos(claims.lease().toMillis()) / 3;
    }

    @Override
    public String toString() {
        return "Claim[" + claims + ", " + rows.size() + " rows, " + held.size() + " held]";
    }
}
