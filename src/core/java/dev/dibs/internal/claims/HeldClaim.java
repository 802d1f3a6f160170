package dev.dibs.internal.claims;

import dev.dibs.DibsException;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.ClaimedKeys.Named;
import dev.dibs.internal.claims.store.ClaimStore;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Claimed rows that this instance holds: renewed until they are completed, released or lost. */
public final class HeldClaim<T> implements Claim<T>, ClaimKeeper.Kept {

    private final DatabaseClaims<T> claims;
    private final String token;
    private final List<ClaimedRow<T>> rows;
    private final boolean own;
    private final ClaimedKeys keys;
    private final HeldRows state;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final List<Consumer<? super List<RowKey>>> callbacks = new CopyOnWriteArrayList<>();

    /** When the keeper should renew, as monotonic time. */
    private volatile long renewAt;

    public HeldClaim(DatabaseClaims<T> claims, String token, List<ClaimedRow<T>> rows, Term term, boolean own) {
        this.claims = claims;
        this.token = token;
        this.rows = List.copyOf(rows);
        this.own = own;
        this.keys = new ClaimedKeys(claims.table(), keys());
        this.state = new HeldRows(keys(), term);
        renewAt = term.sentNanos() + interval();
    }

    @Override
    public String token() {
        return token;
    }

    @Override
    public List<RowKey> keys() {
        return rows.stream().map(ClaimedRow::key).toList();
    }

    @Override
    public List<T> rows() {
        List<T> values = new ArrayList<>();
        for (ClaimedRow<T> row : rows) {
            if (row.unreadable() != null) {
                throw new DibsException(
                        "the row " + row.key() + " cannot be read: " + row.unreadable(), row.unreadable());
            }
            values.add(row.value());
        }
        return values;
    }

    @Override
    public boolean isEmpty() {
        return rows.isEmpty();
    }

    @Override
    public int size() {
        return rows.size();
    }

    @Override
    public boolean isValid() {
        return !closed.get() && (!claims.store().hasLease() || state.isInTime());
    }

    @Override
    public boolean isHeld(Object key) {
        RowKey ours = keys.findOne(Arguments.required("key", key), own ? claims::named : other -> List.of());
        return ours != null && state.held().contains(ours) && isInTime(ours);
    }

    /** Whether nobody else can have the row, unless we released it. */
    public boolean isInTime(RowKey key) {
        return !closed.get() && (!claims.store().hasLease() || state.isInTime(key));
    }

    @Override
    public void onLost(Consumer<? super List<RowKey>> callback) {
        callbacks.add(Arguments.required("callback", callback));
    }

    @Override
    public ClaimResult renew() {
        try {
            return renewed(claims.sender());
        } catch (SqlFailure e) {
            throw claims.errors().explain(e);
        }
    }

    /** If a row was not renewed but still has our token, it is locked just now: it is soon renewed again. */
    private ClaimResult renewed(ClaimStore.Sender sender) throws SqlFailure {
        List<RowKey> keys = heldKeys();
        Map<RowKey, Long> joined = state.joined();
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
        state.renewed(missing(keys, rest), rest, next, joined);
        if (!locked.isEmpty()) {
            renewAt = claims.keeper().soon();
        }
        return new ClaimResult(missing(keys, gone), lose(gone));
    }

    @Override
    public void renew(ClaimStore.Sender sender) throws SqlFailure {
        ClaimResult unused = renewed(sender);
    }

    @Override
    public boolean hasLease() {
        return claims.store().hasLease();
    }

    @Override
    public long renewAt() {
        return renewAt;
    }

    @Override
    public void renewAt(long nanos) {
        renewAt = nanos;
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

    /** Renews now. Before the first renewal, the rows may be from an earlier claim, and their end is not known. */
    void renewIfLease() {
        if (claims.store().hasLease()) {
            renew();
        }
    }

    @Override
    public ClaimResult complete() {
        Map<RowKey, Long> joined = state.joined();
        return without(joined, complete(heldKeys()));
    }

    /** The caller did not name these rows: those that it has completed in a transaction are no news. */
    private static ClaimResult without(Map<RowKey, Long> joined, ClaimResult result) {
        return new ClaimResult(
                result.done(),
                result.lost().stream().filter(key -> !joined.containsKey(key)).toList());
    }

    @Override
    public ClaimResult complete(Collection<?> named) {
        return change(ClaimStore.Change.COMPLETE, named, 0);
    }

    @Override
    public ClaimResult complete(Connection connection, Collection<?> named) {
        Arguments.required("connection", connection);
        Named rows = keys.find(required(named), other -> claims.named(connection, other));
        if (rows.ours().isEmpty()) {
            return rows.with(List.of());
        }
        state.join(rows.ours());
        List<RowKey> done = claims.joined(
                connection, claims.store().change(ClaimStore.Change.COMPLETE, token, rows.ours(), 0, unfinishedKeys()));
        state.join(done);
        return rows.with(done);
    }

    @Override
    public NextClaim<T> completeAndClaim(int n) {
        Map<RowKey, Long> joined = state.joined();
        NextClaim<T> next = completeAndClaim(heldKeys(), n);
        return new NextClaim<>(without(joined, next.completed()), next.next());
    }

    @Override
    public NextClaim<T> completeAndClaim(Collection<?> named, int n) {
        Named rows = named(named);
        NextClaim<T> turn = ClaimCalls.completeAndClaim(claims, this, rows.ours(), DatabaseClaims.checkCount(n));
        return new NextClaim<>(rows.with(turn.completed().done()), turn.next());
    }

    @Override
    public ClaimResult release(Collection<?> named) {
        return change(ClaimStore.Change.RELEASE, named, 0);
    }

    @Override
    public ClaimResult postpone(Collection<?> named, Duration delay) {
        return change(
                ClaimStore.Change.POSTPONE,
                named,
                Math.max(0, Arguments.required("delay", delay).toMillis()));
    }

    private ClaimResult change(ClaimStore.Change change, Collection<?> named, long delayMillis) {
        Named rows = named(named);
        if (rows.ours().isEmpty()) {
            return rows.with(List.of());
        }
        return rows.with(ClaimCalls.change(claims, this, change, rows.ours(), delayMillis)
                .done());
    }

    private Named named(Collection<?> named) {
        return keys.find(required(named), claims::named);
    }

    private static Collection<?> required(Collection<?> named) {
        return Arguments.required("collection of keys", named);
    }

    /** The rows that are still held, in the order in which they were claimed. */
    public List<RowKey> heldKeys() {
        return keys().stream().filter(state.held()::contains).toList();
    }

    /** The same, and rows that this process counts as lost: the database may still have them for this claim. */
    public List<RowKey> unfinishedKeys() {
        return keys().stream()
                .filter(key -> state.held().contains(key) || state.lost().contains(key))
                .toList();
    }

    /** These are no longer ours. */
    public void done(Collection<RowKey> keys) {
        state.done(keys);
    }

    /** Sends statements that change rows. */
    public interface Changing<R, E extends Exception> {

        /** Those that have left are {@link #done} when it returns. */
        R send() throws E;
    }

    /** Changes rows: a renewal that misses one of them meanwhile does not report it as lost. */
    public <R, E extends Exception> R changing(Collection<RowKey> keys, Changing<R, E> change) throws E {
        state.begin(keys);
        try {
            return change.send();
        } finally {
            state.end(keys);
            if (claims.store().hasLease()) {
                expire();
            }
        }
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        claims.keeper().forget(this);
        List<RowKey> keys = heldKeys();
        state.held().clear();
        if (own && !keys.isEmpty()) {
            claims.keeper().release(claims.store(), claims::send, token, keys);
        }
    }

    /** Rows that no renewal has extended in time are lost. Returns the nanoseconds that are left for the others. */
    @Override
    public long expire() {
        if (state.isAnyOver()) {
            lose(heldKeys().stream().filter(state::isOver).toList());
        }
        return state.remainingNanos();
    }

    /** Returns those that were held until now. */
    private List<RowKey> lose(List<RowKey> keys) {
        List<RowKey> newlyLost = state.lose(keys);
        if (!newlyLost.isEmpty()) {
            callbacks.forEach(callback -> claims.keeper().callBack(callback, newlyLost));
        }
        return newlyLost;
    }

    public List<ClaimedRow<T>> claimed() {
        return rows;
    }

    public Set<RowKey> held() {
        return state.held();
    }

    Set<RowKey> lost() {
        return state.lost();
    }

    private long interval() {
        return TimeUnit.MILLISECONDS.toNanos(claims.lease().toMillis()) / 3;
    }

    @Override
    public String toString() {
        return "Claim[" + claims + ", " + rows.size() + " rows, " + state.held().size() + " held]";
    }
}
