package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.call.RowReader;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.values.OwnerToken;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Claims that are stored in the user's own table: in a token column, and, if they end by time, in a column for that time. */
public final class TableClaims<T> implements PerKeyStore<T, ClaimedRow<T>>, Steps.Gaps<ClaimedRow<T>> {

    /** In milliseconds. */
    static final long LONGEST_SEARCH = 500;

    private final ClaimTable table;
    private final ClaimReader<T> reader;
    private final @Nullable String untilLabel;
    private final long lease;
    private final ClaimStatements statements;
    private final RefusedRows refused;

    /**
     * For one table.
     *
     * @param untilLabel the column with the end of a claim, as the database has it; null if a claim lasts until it is released
     * @param effect what completing a row does to it
     * @param clock monotonic time in nanoseconds
     */
    public TableClaims(
            Statements dialect,
            ClaimReader<T> reader,
            @Nullable String untilLabel,
            long lease,
            CompletionEffect effect,
            LongSupplier clock) {
        this.table = reader.table();
        this.reader = reader;
        this.untilLabel = untilLabel;
        this.lease = lease;
        this.statements = new ClaimStatements(dialect, reader.table(), untilLabel != null, effect.kind());
        this.refused = new RefusedRows(table.table(), clock);
    }

    @Override
    public Steps<ClaimedRow<T>> claim(String token, int n, boolean chosen) {
        return claim(chosen ? statements.claimAgain : statements.claim, token, params(token), n);
    }

    @Override
    public Steps<ClaimedRow<T>> claimFrom(RowKey front, String token, int n) {
        ClaimSizes fromFront = statements.claimFromFront;
        return fromFront == null
                ? claim(token, n, false)
                : claim(fromFront, token, params(token).with("front", front.asLong()), n)
                        .endEarly();
    }

    @Override
    public boolean keepsFront() {
        return statements.claimFromFront != null;
    }

    private Steps<ClaimedRow<T>> claim(ClaimSizes sizes, String token, Params params, int n) {
        Call<ClaimedRow<T>> call = refused.isEmpty() || sizes == statements.claimAgain
                ? Call.of(sizes.of(n), "claim_rows", params.with("n", n), this::claimed)
                : behind(refused.foundLatelyAfter(0), token, n);
        // For the caller's own token, no row may mean that it has some already.
        return Steps.of(call.gapped(sizes != statements.claimAgain && refused.isSuspected()), this);
    }

    /** Claims rows without those that are known to be refused. */
    private Call<ClaimedRow<T>> behind(List<RowKey> known, String token, int n) {
        Params params = table.withKeys(params(token).with("n", n), known);
        return Call.of(statements.behind.of(n), "claim_rows", params, this::claimed);
    }

    /**
     * Goes on to the rows behind those that the database has left unchanged without an error. It finds these within one transaction: they
     * are free and locked by it before a claim of these rows alone, which has not got them.
     */
    @Override
    public List<ClaimedRow<T>> fill(Call<ClaimedRow<T>> first, Steps<ClaimedRow<T>> steps, Steps.Transactions more)
            throws SqlFailure {
        // An answer may have all rows of the token, those of an earlier claim as well.
        Map<RowKey, ClaimedRow<T>> rows = new LinkedHashMap<>();
        first.rows().forEach(row -> rows.put(row.key(), row));
        String token = String.valueOf(first.value("token"));
        int n = Integer.parseInt(String.valueOf(first.value("n")));
        long end = refused.now() + TimeUnit.MILLISECONDS.toNanos(Math.min(LONGEST_SEARCH, lease / 3));
        boolean goesOn = true;
        while (goesOn && rows.size() < n && refused.now() < end) {
            Call<RowKey> free = free(refused.foundLatelyAfter(0), n - rows.size());
            more.send(List.of(free));
            if (free.rows().isEmpty()) {
                return List.copyOf(rows.values());
            }
            Call<RowKey> locked = locking(free.rows());
            Call<ClaimedRow<T>> claiming = among(free.rows(), token);
            more.send(List.of(locked, claiming));
            List<RowKey> claimed = claiming.rows().stream()
                    .filter(row -> rows.putIfAbsent(row.key(), row) == null)
                    .map(ClaimedRow::key)
                    .toList();
            goesOn = refused.found(locked.rows(), claimed) || !claimed.isEmpty();
        }
        if (goesOn && rows.size() < n) {
            steps.endEarly();
        }
        return List.copyOf(rows.values());
    }

    /** Looks for free rows, without those that are known to be refused. */
    private Call<RowKey> free(List<RowKey> known, int n) {
        Params params = table.withKeys(Params.none().with("n", n), known);
        return Call.of(statements.behind.bound(), "free_rows", params, table::keyIn)
                .inTransaction(true);
    }

    /** Claims these rows: no other row can take the place of one. */
    private Call<ClaimedRow<T>> among(List<RowKey> keys, String token) {
        Params params = table.withKeys(params(token).with("n", keys.size()), keys);
        return Call.of(statements.among, statements.claimsAmong, params, this::claimed);
    }

    @Override
    public Call<RowKey> locking(List<RowKey> keys) {
        Params params = table.withKeys(Params.none(), keys);
        return Call.of(statements.common, "free_of_rows", params, table::keyIn).inTransaction(true);
    }

    @Override
    public List<Call<?>> trial() {
        List<Call<?>> calls = new ArrayList<>(PerKeyStore.super.trial());
        String nobody = OwnerToken.next();
        calls.addAll(List.of(behind(List.of(), nobody, 1), free(List.of(), 1)));
        calls.addAll(List.of(locking(List.of()), among(List.of(), nobody)));
        return calls;
    }

    @Override
    public RefusedRows refused() {
        return refused;
    }

    @Override
    public Map<String, String> perKeyTexts(boolean chosen) {
        Map<String, String> choices = new HashMap<>(statements.choices);
        choices.put("alive", "not_dead");
        choices.put("once", chosen ? "first_time" : "any_time");
        choices.put("picking", "{to_pick}");
        choices.put("group_names", "token_name");
        return choices;
    }

    @Override
    public Params params(String token) {
        return Params.of("token", token).with("lease", lease);
    }

    @Override
    public <R> Call<R> marking(Statements perKey, Params params, RowReader<R> reader) {
        return Call.of(perKey, "claim_per_key", params, reader);
    }

    @Override
    public ClaimedRow<T> mark(ResultSet row) throws SQLException {
        return reader.read(row, ClaimedRow.Origin.of(untilLabel == null ? 0 : row.getLong(untilLabel)));
    }

    @Override
    public List<ClaimedRow<T>> claimed(String token, List<ClaimedRow<T>> marks, Steps.Transactions more) {
        return marks;
    }

    @Override
    public Steps<ClaimedRow<T>> find(String token) {
        return Steps.of(Call.of(
                statements.common,
                "find_rows",
                Params.of("token", token),
                row -> reader.read(row, ClaimedRow.Origin.FREE)));
    }

    @Override
    public Steps<RowKey> stillHeld(String token, List<RowKey> keys) {
        Statements renewal = statements.of(Change.RENEW);
        Statements look = renewal == null ? statements.common : renewal;
        Params params = table.withKeys(Params.of("token", token), keys);
        return ClaimTable.keysOf(Call.of(look, "still_rows", params, table::keyIn));
    }

    /** Null if a row that was picked has not got the mark. */
    private @Nullable ClaimedRow<T> claimed(ResultSet row) throws SQLException {
        if (untilLabel == null ? table.hasNoKey(row) : row.getLong(untilLabel) == 0) {
            return null;
        }
        return mark(row);
    }

    @Override
    public Steps<RowKey> change(Change change, String token, List<RowKey> keys, long delayMillis, List<RowKey> held) {
        Statements form = statements.of(change);
        if (form == null) {
            throw new IllegalStateException("the claims on " + table.table()
                    + " do not end by time: they have no column for that. Name one with until(..), or use sideTable()");
        }
        Params params = table.withKeys(params(token), keys).with("delay", delayMillis);
        boolean completes = change == Change.COMPLETE;
        Call<RowKey> call = Call.of(form, completes ? statements.completes : "change_rows", params, table::keyIn);
        return ClaimTable.keysOf(call.inTransaction(completes && form.features().completesInTransaction()));
    }

    @Override
    public Steps<RowKey> releaseToken(String token) {
        return ClaimTable.keysOf(Call.of(statements.common, "release_token", Params.of("token", token), table::keyIn));
    }

    @Override
    public Call<Boolean> left(List<RowKey> but) {
        Statements form = but.isEmpty() ? statements.common : statements.behind.bound();
        return Call.of(form, "left_rows", table.withKeys(Params.none(), but), row -> true)
                .labelled("is_left");
    }

    @Override
    public Steps<RowKey> dead() {
        return ClaimTable.keysOf(Call.of(statements.common, "dead_rows", Params.none(), table::keyIn));
    }

    @Override
    public Call<Long> count() {
        return Call.of(statements.common, "count_rows", Params.none(), row -> row.getLong(1))
                .labelled("to_do");
    }

    @Override
    public boolean hasLease() {
        return untilLabel != null;
    }
}
