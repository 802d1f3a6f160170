package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.run.Call;
import dev.dibs.internal.sql.run.Params;
import dev.dibs.internal.values.OwnerToken;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Claims that are stored in the claim table, for a user's table that cannot have more columns.
 *
 * <p>A claim is two transactions: the claims are written, and then the rows are read again, as they are now. If the process dies in
 * between, its claims expire.
 */
public final class SideClaims<T> implements ClaimStore<T> {

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
    public SideClaims(
            Statements statements,
            ClaimTable table,
            ClaimReader<T> reader,
            String scope,
            long lease,
            CompletionEffect effect) {
        this.table = table;
        this.reader = reader;
        this.scope = scope;
        this.lease = lease;
        this.completes = switch (effect.kind()) {
            case NONE -> "settle_side";
            case SET -> "complete_side";
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
        choices.put("side_still", "side_not_passed");
        changes.put(Change.RENEW, statements.about(FILE, choices, table.texts()));
    }

    private Params params(String token) {
        return Params.of("scope", scope).with("token", token).with("lease", lease);
    }

    @Override
    public Asked<ClaimedRow<T>> claim(String token, int n, boolean again) {
        Params params = params(token).with("n", n);
        SideReading<T> reading = new SideReading<>(this, token, true);
        return reading.after(Call.of(again ? firstTime : anyTime, "claim_side", params, SideMark::read));
    }

    @Override
    public Asked<ClaimedRow<T>> find(String token) {
        SideReading<T> reading = new SideReading<>(this, token, false);
        return reading.after(Call.of(anyTime, "find_side", params(token), SideMark::read));
    }

    /** Continues after a call of another file that claims rows in the same table. */
    Asked<ClaimedRow<T>> claimed(String token, Call<SideMark> claiming) {
        return new SideReading<>(this, token, true).after(claiming);
    }

    /** Reads those of the rows that are still to be processed. */
    Call<SideReading.Row<T>> rows(List<RowKey> keys, Map<String, ClaimedRow.Origin> origins) {
        Params params = table.withKeys(Params.none(), keys);
        return Call.of(anyTime, "side_rows", params, row -> {
            String key = row.getString(SideMark.ROW);
            return new SideReading.Row<>(key, reader.read(row, origins.getOrDefault(key, ClaimedRow.Origin.FREE)));
        });
    }

    /** Releases rows; answers the key of each as one text. */
    Call<String> drop(String token, List<RowKey> keys) {
        return Call.of(anyTime, "drop_side", table.withKeys(params(token), keys), row -> row.getString(SideMark.ROW));
    }

    RowKey keyOf(String row) {
        return table.parse(row);
    }

    @Override
    public Asked<RowKey> still(String token, List<RowKey> keys) {
        Params params = table.withKeys(params(token), keys);
        return changed(Call.of(anyTime, "still_side", params, table::keyIn));
    }

    @Override
    public Asked<RowKey> change(Change change, String token, List<RowKey> keys, long delayMillis, List<RowKey> held) {
        Params params = table.withKeys(params(token), keys).with("delay", delayMillis);
        String statement = switch (change) {
            case COMPLETE -> completes;
            case RELEASE -> "drop_side";
            case RENEW, POSTPONE, DEAD_LETTER -> "change_side";
        };
        return changed(Call.of(changes.getOrDefault(change, anyTime), statement, params, table::keyIn));
    }

    private static Asked<RowKey> changed(Call<RowKey> call) {
        Call<RowKey> labelled = call.labelled(ClaimTable.KEY + 1);
        return new Asked<>(List.of(labelled), labelled::rows);
    }

    @Override
    public Asked<RowKey> releaseToken(String token) {
        Call<RowKey> call = Call.of(anyTime, "release_side", params(token), row -> keyOf(row.getString(SideMark.ROW)));
        Call<RowKey> labelled = call.labelled(SideMark.ROW);
        return new Asked<>(List.of(labelled), labelled::rows);
    }

    /** Deletes claims that are no longer needed. Rows that have left a range are kept: no claim would find them again. */
    public void purge(Sender sender) throws SqlFailure {
        Params params = Params.of("scope", scope);
        Call<Map.Entry<String, Long>> old = Call.of(
                anyTime,
                "old_side",
                params,
                row -> Map.entry(row.getString(SideMark.ROW), row.getLong(SideMark.UNTIL)));
        sender.send(List.of(old));
        for (Map.Entry<String, Long> claim : old.rows()) {
            Params one =
                    Params.of("scope", scope).with("row_key", claim.getKey()).with("held_until", claim.getValue());
            sender.send(List.of(Call.of(anyTime, "drop_old_side", one, row -> true)));
        }
    }

    @Override
    public Call<Boolean> left() {
        return Call.of(anyTime, "left_side", Params.of("scope", scope), row -> true)
                .labelled("is_left");
    }

    @Override
    public Call<Long> count() {
        return Call.of(anyTime, "count_side", Params.of("scope", scope), row -> row.getLong(1))
                .labelled("to_do");
    }

    @Override
    public List<Call<?>> trial() {
        String nobody = OwnerToken.next();
        List<Call<?>> calls = new ArrayList<>();
        calls.addAll(claim(nobody, 1, false).calls());
        calls.addAll(claim(nobody, 1, true).calls());
        calls.add(rows(List.of(), Map.of()));
        calls.addAll(still(nobody, List.of()).calls());
        for (Change change : Change.values()) {
            calls.addAll(change(change, nobody, List.of(), 0, List.of()).calls());
        }
        calls.add(left());
        calls.add(count());
        return calls;
    }

    @Override
    public boolean hasLease() {
        return true;
    }
}
