package dev.dibs.internal.claims;

import dev.dibs.Finding;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.advice.ClaimDoctor;
import dev.dibs.internal.claims.store.ClaimStore;
import dev.dibs.internal.claims.store.ClaimTable;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.run.Call;
import dev.dibs.internal.sql.run.CallLimit;
import dev.dibs.internal.sql.run.Params;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.transaction.JoinedTransaction;
import dev.dibs.internal.values.Names;
import dev.dibs.internal.values.OwnerToken;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** Claims on the rows of a table, and the ways to send their statements. */
public final class DatabaseClaims<T> implements RowClaims<T> {

    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(30);
    private static final int TOKEN_LIMIT = 32;

    private final ClaimStore<T> store;
    private final ClaimTable table;
    private final Context context;
    private final ClaimKeeper keeper;
    private final Duration lease;
    private final ClaimDoctor doctor;
    private final Statements naming;

    DatabaseClaims(
            ClaimStore<T> store,
            ClaimTable table,
            Context context,
            ClaimKeeper keeper,
            Duration lease,
            ClaimDoctor doctor) {
        this.store = store;
        this.table = table;
        this.context = context;
        this.keeper = keeper;
        this.lease = lease;
        this.doctor = doctor;
        this.naming = context.database().statements().only("named_rows", table.texts());
    }

    @Override
    public HeldClaim<T> claim(int n) {
        return ClaimCalls.claim(this, OwnerToken.next(), checkCount(n), false);
    }

    @Override
    public HeldClaim<T> claim(String token, int n) {
        return ClaimCalls.claim(this, checkToken(token), checkCount(n), true);
    }

    @Override
    public HeldClaim<T> claim(Connection connection, int n) {
        Term term = Term.from(keeper.clock(), lease.toMillis());
        String token = OwnerToken.next();
        return new HeldClaim<>(this, token, joined(connection, store.claim(token, checkCount(n), false)), term, false);
    }

    @Override
    public HeldClaim<T> claim(Connection connection, String token, int n) {
        Term term = Term.from(keeper.clock(), lease.toMillis());
        checkToken(token);
        checkCount(n);
        keeper.wantAgain(token);
        List<ClaimedRow<T>> rows = joined(connection, store.find(token));
        if (rows.isEmpty()) {
            rows = joined(connection, store.claim(token, n, true));
        }
        return new HeldClaim<>(this, token, rows, term, false);
    }

    @Override
    public HeldClaim<T> find(String token) {
        return ClaimCalls.find(this, checkToken(token));
    }

    @Override
    public HeldClaim<T> find(Connection connection, String token) {
        Term term = Term.from(keeper.clock(), lease.toMillis());
        keeper.wantAgain(checkToken(token));
        return new HeldClaim<>(this, token, joined(connection, store.find(token)), term, false);
    }

    @Override
    public List<RowKey> release(String token) {
        return own(store.releaseToken(checkToken(token)));
    }

    @Override
    public long count() {
        return one(store.count()).get(0);
    }

    /** The same for a table of any size: the database ends the statement at the limit. */
    public long count(CallLimit limit) throws SqlFailure {
        Call<Long> count = store.count().within(limit);
        context.database().transact(List.of(count), limit.time().plus(LONGEST_TIMEOUT));
        return count.rows().get(0);
    }

    @Override
    public List<Finding> doctor() {
        context.requireOpen();
        try {
            return doctor.examine();
        } catch (SqlFailure e) {
            throw context.errors().explain(e);
        }
    }

    public boolean isSomethingLeft() throws SqlFailure {
        Call<Boolean> left = store.left();
        send(List.of(left));
        return !left.rows().isEmpty();
    }

    private <R> List<R> one(Call<R> call) {
        return own(new ClaimStore.Asked<>(List.of(call), call::rows));
    }

    /** The keys of the rows that the database finds by a key, however it is spelled. */
    List<RowKey> named(RowKey other) {
        return own(asking(other));
    }

    /** The same, as the caller's transaction sees them. */
    List<RowKey> named(Connection connection, RowKey other) {
        return joined(connection, asking(other));
    }

    private ClaimStore.Asked<RowKey> asking(RowKey other) {
        Call<RowKey> call = Call.of(naming, "named_rows", table.withKeys(Params.none(), List.of(other)), table::keyIn);
        return new ClaimStore.Asked<>(List.of(call), call::rows);
    }

    /** In a transaction of our own. */
    <R> List<R> own(ClaimStore.Asked<R> asked) {
        try {
            send(asked);
            return asked.rows();
        } catch (SqlFailure e) {
            throw context.errors().explain(e);
        }
    }

    /** In one transaction of our own. */
    public void send(List<Call<?>> calls) throws SqlFailure {
        send(new ClaimStore.Asked<>(calls, List::of));
    }

    public void send(ClaimStore.Asked<?> asked) throws SqlFailure {
        asked.sendBy(sender());
    }

    ClaimStore.Sender sender() {
        context.requireOpen();
        return calls -> context.database().transact(calls, timeout());
    }

    /** Completes rows in a transaction of our own. */
    void complete(ClaimStore.Asked<RowKey> asked) throws SqlFailure {
        if (context.database().statements().features().completesInTransaction()) {
            send(asked, List::of);
        } else {
            send(asked);
        }
    }

    /** In one transaction of our own, with other calls in the first transaction, which depend on its answers. */
    public void send(ClaimStore.Asked<?> asked, Supplier<List<Call<?>>> others) throws SqlFailure {
        context.requireOpen();
        AtomicBoolean first = new AtomicBoolean(true);
        asked.sendBy(
                calls -> context.database().transact(calls, first.getAndSet(false) ? others : List::of, timeout()));
    }

    /** Whether the database undid a transaction of the user and would accept it again. */
    public boolean isRolledBack(Throwable error) {
        return context.database().errors().isRolledBack(error);
    }

    /** In the caller's transaction. */
    public <R> List<R> joined(Connection connection, ClaimStore.Asked<R> asked) {
        context.requireOpen();
        JoinedTransaction.require(connection, "a claim that joins a transaction", "or leave the connection away");
        try {
            asked.sendBy(calls -> context.database().transactOn(connection, calls));
            return asked.rows();
        } catch (SqlFailure e) {
            throw context.errors().explainJoined(e);
        }
    }

    private Duration timeout() {
        return lease.compareTo(LONGEST_TIMEOUT) < 0 && store.hasLease() ? lease : LONGEST_TIMEOUT;
    }

    public ClaimStore<T> store() {
        return store;
    }

    public ClaimTable table() {
        return table;
    }

    public ClaimKeeper keeper() {
        return keeper;
    }

    public Errors errors() {
        return context.errors();
    }

    public Duration lease() {
        return lease;
    }

    public static int checkCount(int n) {
        if (n < 1 || n > LARGEST_CLAIM) {
            throw new IllegalArgumentException(
                    "a claim of " + n + " rows is out of bounds; it must be between 1 and " + LARGEST_CLAIM);
        }
        return n;
    }

    private static String checkToken(String token) {
        Names.check("token", token);
        boolean plain = token.chars().allMatch(c -> c > ' ' && c <= '~');
        if (!plain || token.length() > TOKEN_LIMIT || token.startsWith("dibs-")) {
            throw new IllegalArgumentException("the token '" + token + "' cannot be used: it must have 1 to "
                    + TOKEN_LIMIT + " ASCII characters without blanks and must not begin with dibs-");
        }
        return token;
    }

    @Override
    public String toString() {
        return "RowClaims[" + table.table() + "]";
    }
}
