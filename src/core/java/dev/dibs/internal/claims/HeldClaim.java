package dev.dibs.internal.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsException;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.KeyedRow;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.ClaimedKeys.Named;
import dev.dibs.internal.claims.store.ClaimSizes;
import dev.dibs.internal.claims.store.ClaimStore;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Claimed rows that this instance holds: renewed until they are completed, released or lost. */
public final class HeldClaim<T> implements Claim<T>, ClaimKeeper.Kept, RowChange.Owner {

    private final ClaimEngine<T> engine;
    private final String token;
    private final List<ClaimedRow<T>> rows;
    private final boolean own;
    private final boolean searchedAll;
    private final List<RowKey> claimedKeys;
    private final ClaimedKeys keys;
    final HeldRows state;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final List<Consumer<? super List<RowKey>>> callbacks = new CopyOnWriteArrayList<>();

    /** When the keeper should renew, as monotonic time. */
    private volatile long renewAt;

    /** Whether the caller gave the token, and may give it to another process. */
    volatile boolean hasChosenToken;

    /**
     * Rows that were claimed.
     *
     * @param term begins before the claim was sent
     * @param own whether they were claimed in a transaction of our own
     */
    HeldClaim(ClaimEngine<T> engine, String token, Steps<ClaimedRow<T>> claiming, Term term, boolean own) {
        this.engine = engine;
        this.token = token;
        this.rows = List.copyOf(claiming.result());
        this.searchedAll = !claiming.hasEndedEarly();
        this.own = own;
        this.claimedKeys = keys(this.rows);
        this.keys = new ClaimedKeys(engine.table(), claimedKeys);
        this.state = new HeldRows(claimedKeys, term);
        renewing(term);
    }

    private static <T> List<RowKey> keys(List<ClaimedRow<T>> rows) {
        RowKey[] keys = new RowKey[rows.size()];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = rows.get(i).key();
        }
        return List.of(keys);
    }

    @Override
    public String token() {
        return token;
    }

    @Override
    public List<RowKey> keys() {
        return claimedKeys;
    }

    @Override
    public List<KeyedRow<T>> rows() {
        List<KeyedRow<T>> read = new ArrayList<>(rows.size());
        for (ClaimedRow<T> row : rows) {
            if (row.unreadable() != null) {
                throw new DibsException(
                        "the row " + row.key() + " cannot be read: " + row.unreadable(), row.unreadable());
            }
            read.add(new KeyedRow<>(row.key(), row.value()));
        }
        return read;
    }

    @Override
    public boolean isEmpty() {
        return rows.isEmpty();
    }

    @Override
    public boolean hasSearchedAll() {
        return searchedAll;
    }

    @Override
    public boolean holdsRows() {
        return !state.held.isEmpty();
    }

    @Override
    public int size() {
        return rows.size();
    }

    @Override
    public boolean isValid() {
        return !closed.get() && (!hasLease() || state.isInTime());
    }

    @Override
    public boolean isHeld(RowKey key) {
        if (state.held.contains(Arguments.required("key", key))) {
            return isInTime(key);
        }
        engine.table().check(key);
        return false;
    }

    /** Whether nobody else can have the row, unless we released it. */
    @Override
    public boolean isInTime(RowKey key) {
        return !closed.get() && (!hasLease() || state.isInTime(key));
    }

    @Override
    public void onLost(Consumer<? super List<RowKey>> callback) {
        callbacks.add(Arguments.required("callback", callback));
    }

    @Override
    public ClaimResult renew() {
        return engine.renew(this);
    }

    @Override
    public void renew(Database background, Duration timeout) throws SqlFailure {
        ClaimResult unused = engine.renew(this, background, timeout);
    }

    @Override
    public boolean hasLease() {
        return engine.store().hasLease();
    }

    /** A renewal is sent: the next one is due after a part of its term. */
    final void renewing(Term next) {
        renewAt = next.renewAtNanos();
    }

    @Override
    public long renewAt() {
        return renewAt;
    }

    @Override
    public void renewAt(long nanos) {
        renewAt = nanos;
    }

    @Override
    public ClaimResult complete() {
        Map<RowKey, Long> completedByCaller = state.completedByCaller();
        List<RowKey> held = heldKeys();
        return without(completedByCaller, ClaimedKeys.result(held, engine.complete(this, held)));
    }

    /** The caller did not name these rows: those that it has completed in a transaction are no news. */
    private static ClaimResult without(Map<RowKey, Long> completedByCaller, ClaimResult result) {
        return completedByCaller.isEmpty()
                ? result
                : new ClaimResult(result.done(), ClaimedKeys.without(result.lost(), completedByCaller.keySet()));
    }

    @Override
    public ClaimResult complete(Collection<RowKey> named) {
        Named rows = named(named);
        return rows.with(engine.complete(this, rows.ours()));
    }

    @Override
    public ClaimResult complete(Connection connection, Collection<RowKey> named) {
        Arguments.required("connection", connection);
        Named rows = named(named);
        if (rows.ours().isEmpty()) {
            return rows.with(List.of());
        }
        state.join(rows.ours());
        List<RowKey> done = engine.on(connection).complete(this, rows.ours());
        state.join(done);
        return rows.with(done);
    }

    @Override
    public NextClaim<T> completeAndClaim(int n) {
        Map<RowKey, Long> completedByCaller = state.completedByCaller();
        NextClaim<T> next = engine.completeAndClaim(this, heldKeys(), ClaimSizes.check(n));
        return new NextClaim<>(without(completedByCaller, next.completed()), next.next());
    }

    @Override
    public NextClaim<T> completeAndClaim(Collection<RowKey> named, int n) {
        Named rows = named(named);
        NextClaim<T> next = engine.completeAndClaim(this, rows.ours(), ClaimSizes.check(n));
        return new NextClaim<>(rows.with(next.completed().done()), next.next());
    }

    @Override
    public ClaimResult release(Collection<RowKey> named) {
        Named rows = named(named);
        return rows.with(engine.change(this, ClaimStore.Change.RELEASE, rows.ours(), 0));
    }

    @Override
    public ClaimResult postpone(Collection<RowKey> named, Duration delay) {
        long millis = Arguments.within("delay", delay, Duration.ZERO, Arguments.LONGEST)
                .toMillis();
        Named rows = named(named);
        return rows.with(engine.change(this, ClaimStore.Change.POSTPONE, rows.ours(), millis));
    }

    private Named named(Collection<RowKey> named) {
        return keys.find(Arguments.required("collection of keys", named));
    }

    /** The rows that are still held, in the order in which they were claimed. */
    public List<RowKey> heldKeys() {
        return ClaimedKeys.within(claimedKeys, state.held);
    }

    /** The same, and rows that this process counts as lost: the database may still have them for this claim. */
    List<RowKey> unfinishedKeys() {
        return state.unfinished(claimedKeys);
    }

    /** These are no longer ours. */
    public void done(Collection<RowKey> keys) {
        state.done(keys);
        forgetIfNothingIsHeld();
    }

    /** A caller who has completed everything sees no reason to close the claim. */
    private void forgetIfNothingIsHeld() {
        if (state.held.isEmpty()) {
            engine.keeper.forget(this);
        }
    }

    /** The database has refused a part of a change: the rows that are not ours any more are done. */
    DatabaseFailureException refused(RowChange change, List<RowKey> keys, SqlFailure why) {
        try {
            List<RowKey> left = engine.run(engine.store().stillHeld(token, keys));
            List<RowKey> done = ClaimedKeys.without(List.copyOf(change.appliedRows(List.of())), left);
            done(done);
            DatabaseFailureException refused = engine.context.errors().explain(why.undone());
            String told = done.isEmpty() ? "" : ". Only these rows are done: " + done;
            return new DatabaseFailureException(refused.getMessage() + told, refused.getCause());
        } catch (SqlFailure e) {
            return engine.context.errors().explain(why);
        }
    }

    /** Before rows are changed. Those that leave by it are {@link #done} before it is closed. */
    public RowChange change(List<RowKey> keys) {
        return new RowChange(keys, this, state);
    }

    @Override
    public void changed() {
        if (hasLease()) {
            expire();
        }
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        List<RowKey> held = heldKeys();
        state.held.clear();
        engine.release(this, own ? held : List.of());
    }

    /** Rows that no renewal has extended in time are lost. Returns the nanoseconds that are left for the others. */
    @Override
    public long expire() {
        if (state.isAnyOver()) {
            lose(heldKeys().stream().filter(state::isOver).toList());
        }
        return state.remainingNanos();
    }

    /** These have gone. Returns those that were held until now. */
    List<RowKey> lose(List<RowKey> keys) {
        List<RowKey> newlyLost = state.lose(keys);
        forgetIfNothingIsHeld();
        if (!newlyLost.isEmpty()) {
            callbacks.forEach(callback -> engine.context.callbacks().elsewhere(() -> callback.accept(newlyLost)));
        }
        return newlyLost;
    }

    public List<ClaimedRow<T>> claimed() {
        return rows;
    }

    public Set<RowKey> held() {
        return state.held;
    }

    @Override
    public String toString() {
        return "Claim[" + engine + ", " + rows.size() + " rows, " + state.held.size() + " held]";
    }
}
