package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.call.RowReader;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Claims that are stored in the claim table, for a user's table that cannot have more columns.
 *
 * <p>A claim is two transactions: the claims are written, and then the rows are read again, as they are now. If the process dies in
 * between, its claims expire.
 */
public final class SideClaims<T> implements PerKeyStore<T, SideMark> {

    private static final String FILE = "side";

    private final ClaimTable table;
    private final ClaimReader<T> reader;
    private final String scope;
    private final long lease;
    private final String completes;
    private final Statements firstTime;
    private final Statements anyTime;
    private final Map<Change, Statements> changes = new EnumMap<>(Change.class);

    /**
     * For one table.
     *
     * @param scope the name that all who claim rows of this table share
     * @param effect what completing a row does to it
     */
    public SideClaims(Statements statements, ClaimReader<T> reader, String scope, long lease, CompletionEffect effect) {
        this.table = reader.table();
        this.reader = reader;
        this.scope = scope;
        this.lease = lease;
        this.completes = switch (effect.kind()) {
            case NONE -> "settle_side";
            case SET, SET_KEY -> "complete_side";
            case DELETE -> "delete_side";
        };
        Map<String, String> choices =
                new HashMap<>(Map.of("side_once", "any_time", "side_still", "any_time", "side_change", "side_put_off"));
        anyTime = statements.about(FILE, choices, table.texts());
        choices.put("side_once", "side_first_time");
        firstTime = statements.about(FILE, choices, table.texts());
        changes.put(Change.POSTPONE, anyTime);
        choices.put("side_change", "side_bury");
        changes.put(Change.DEAD_LETTER, statements.about(FILE, choices, table.texts()));
        choices.put("side_change", "side_renew");
        choices.put("side_still", "side_not_expired");
        changes.put(Change.RENEW, statements.about(FILE, choices, table.texts()));
    }

    Params scoped() {
        return Params.of("scope", scope);
    }

    @Override
    public Params params(String token) {
        return scoped().with("token", token).with("lease", lease);
    }

    @Override
    public Steps<ClaimedRow<T>> claim(String token, int n, boolean chosen) {
        Params params = params(token).with("n", n);
        Call<SideMark> claiming = claiming(chosen ? firstTime : anyTime, "claim_side", params, SideMark::read);
        return Steps.of(claiming, more -> claimed(token, claiming.rows(), more));
    }

    /** Two callers at the same instant may add the same row: then one of them fails, and must have added none. */
    private static <R> Call<R> claiming(Statements form, String statement, Params params, RowReader<R> reader) {
        return marks(Call.of(form, statement, params, reader))
                .inTransaction(form.features().completesInTransaction())
                .colliding();
    }

    @Override
    public Map<String, String> perKeyTexts(boolean chosen) {
        Map<String, String> choices =
                new HashMap<>(Map.of("free", "side_free", "alive", "side_not_dead", "group_names", "side_names"));
        choices.put("once", chosen ? "side_first_time" : "any_time");
        choices.put("picking", "{t_row_key} AS dibs_row");
        choices.put("mark", "nothing");
        choices.put("picked", "any_time");
        return choices;
    }

    @Override
    public <R> Call<R> marking(Statements perKey, Params params, RowReader<R> reader) {
        return claiming(perKey, "side_per_key", params, reader);
    }

    @Override
    public SideMark mark(ResultSet row) throws SQLException {
        return SideMark.read(row);
    }

    @Override
    public Steps<ClaimedRow<T>> find(String token) {
        return reading(token, Row::row);
    }

    private <R> Steps<R> reading(String token, Function<Row<T>, R> what) {
        Call<SideMark> finding = marks(Call.of(anyTime, "find_side", params(token), SideMark::read));
        return Steps.of(finding, more -> {
            Map<String, ClaimedRow.Origin> origins = new LinkedHashMap<>();
            finding.rows().forEach(mark -> origins.put(mark.row(), ClaimedRow.Origin.FREE));
            return read(origins, more).stream().map(what).toList();
        });
    }

    @Override
    public Steps<RowKey> dead() {
        return reading(DEAD, row -> row.row().key());
    }

    static <R> Call<R> marks(Call<R> call) {
        return call.labelled(SideMark.ROW);
    }

    /**
     * The rows of a new claim as they are now. Rows that are no longer to be processed are released: another claim has completed them while
     * they were being chosen.
     */
    @Override
    public List<ClaimedRow<T>> claimed(String token, List<SideMark> marks, Steps.Transactions more) throws SqlFailure {
        Map<String, ClaimedRow.Origin> origins = new LinkedHashMap<>();
        marks.stream()
                .filter(mark -> mark.token().equals(token))
                .forEach(mark -> origins.put(mark.row(), mark.origin()));
        List<Row<T>> rows = read(origins, more);
        Set<String> done = new LinkedHashSet<>(origins.keySet());
        rows.forEach(row -> done.remove(row.key()));
        // A claim that is locked just now is tried again, and then left to expire.
        for (int tries = 0; tries < RetryPolicy.DONE_ROWS && !done.isEmpty(); tries++) {
            Params params = table.withKeys(params(token), keys(done));
            Call<String> dropping = Call.of(anyTime, "drop_side", params, row -> row.getString(SideMark.ROW));
            more.send(List.of(dropping));
            dropping.rows().forEach(done::remove);
        }
        return rows.stream().map(Row::row).toList();
    }

    /**
     * A row that was read.
     *
     * @param key its key as one text
     */
    private record Row<T>(String key, ClaimedRow<T> row) {}

    private List<Row<T>> read(Map<String, ClaimedRow.Origin> origins, Steps.Transactions more) throws SqlFailure {
        if (origins.isEmpty()) {
            return List.of();
        }
        Call<Row<T>> reading = rows(keys(origins.keySet()), origins);
        more.send(List.of(reading));
        return reading.rows();
    }

    private List<RowKey> keys(Collection<String> rows) {
        return rows.stream().map(table::parse).toList();
    }

    /** Reads those of the rows that are still to be processed. */
    private Call<Row<T>> rows(List<RowKey> keys, Map<String, ClaimedRow.Origin> origins) {
        return Call.of(anyTime, "side_rows", table.withKeys(Params.none(), keys), row -> {
            String key = row.getString(SideMark.ROW);
            return new Row<>(key, reader.read(row, origins.getOrDefault(key, ClaimedRow.Origin.FREE)));
        });
    }

    /** The call that reads no rows, to try it out. */
    Call<?> readingNothing() {
        return rows(List.of(), Map.of());
    }

    @Override
    public Steps<RowKey> stillHeld(String token, List<RowKey> keys) {
        Params params = table.withKeys(params(token), keys);
        return ClaimTable.keysOf(Call.of(anyTime, "still_side", params, table::keyIn));
    }

    @Override
    public Steps<RowKey> change(Change change, String token, List<RowKey> keys, long delayMillis, List<RowKey> held) {
        Params params = table.withKeys(params(token), keys).with("delay", delayMillis);
        String statement = switch (change) {
            case COMPLETE -> completes;
            case RELEASE -> "drop_side";
            case RENEW, POSTPONE, DEAD_LETTER -> "change_side";
        };
        Statements form = changes.getOrDefault(change, anyTime);
        return ClaimTable.keysOf(Call.of(form, statement, params, table::keyIn)
                .inTransaction(change == Change.COMPLETE && form.features().completesInTransaction()));
    }

    @Override
    public Steps<RowKey> releaseToken(String token) {
        Call<RowKey> call =
                Call.of(anyTime, "release_side", params(token), row -> table.parse(row.getString(SideMark.ROW)));
        return Steps.of(call.labelled(SideMark.ROW));
    }

    /** Deletes claims that are no longer needed. Rows that have left a range are kept: no claim would find them again. */
    @Override
    public void open(Opening opening) {
        Call<Map.Entry<String, Long>> old = Call.of(
                anyTime,
                "old_side",
                scoped(),
                row -> Map.entry(row.getString(SideMark.ROW), row.getLong(SideMark.UNTIL)));
        opening.send("The purge of old claims", false, Steps.of(old, more -> {
            for (Map.Entry<String, Long> claim : old.rows()) {
                Params one = scoped().with("row_key", claim.getKey()).with("held_until", claim.getValue());
                more.send(List.of(Call.of(anyTime, "drop_old_side", one, row -> true)));
            }
            return List.of();
        }));
    }

    @Override
    public Call<Boolean> left(List<RowKey> but) {
        return Call.of(anyTime, "left_side", scoped(), row -> true).labelled("is_left");
    }

    @Override
    public Call<Long> count() {
        return Call.of(anyTime, "count_side", scoped(), row -> row.getLong(1)).labelled("to_do");
    }

    @Override
    public List<Call<?>> trial() {
        List<Call<?>> calls = new ArrayList<>(PerKeyStore.super.trial());
        calls.add(readingNothing());
        return calls;
    }
}
