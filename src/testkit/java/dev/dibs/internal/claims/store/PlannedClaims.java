package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.store.ClaimStore.Change;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.Statements;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** The statements of claims, filled in for a table whose key is one whole number. */
public final class PlannedClaims {

    private PlannedClaims() {}

    /**
     * The statements of a file, with its strictest conditions.
     *
     * @param file {@code side} or {@code range}
     */
    public static Statements of(Statements statements, String file, String table, ColumnInfo key, String where) {
        Map<String, String> choices =
                Map.of("side_once", "side_first_time", "side_still", "side_not_expired", "side_change", "side_put_off");
        return statements.about(
                file,
                choices,
                described(
                                statements,
                                table,
                                key,
                                Map.of("where", "(" + where + ")", "order", key.name(), "effect", where))
                        .texts());
    }

    /** The statements of claims that are stored in the table's own columns, with an effect that changes one more column. */
    public static Statements ofTable(
            Statements statements, String table, ColumnInfo key, String token, String until, String effect) {
        ClaimTable described = described(statements, table, key, texts(key, token, until, "1 = 1", effect));
        return new ClaimStatements(statements, described, true, CompletionEffect.Kind.SET).common;
    }

    /** In every way in which they are claimed and changed, until a time or until they are released. */
    public static List<Statements> allOfTable(
            Statements statements, String table, ColumnInfo key, String token, String until, String effect) {
        ClaimTable described = described(statements, table, key, texts(key, token, until, "1 = 1", effect));
        ClaimStatements leases = new ClaimStatements(statements, described, true, CompletionEffect.Kind.SET);
        ClaimSizes front = leases.claimFromFront;
        return Stream.of(
                        leases.claimAgain.of(10),
                        front == null ? null : front.of(10),
                        leases.of(Change.POSTPONE),
                        leases.of(Change.DEAD_LETTER),
                        leases.of(Change.RENEW),
                        new ClaimStatements(statements, described, true, CompletionEffect.Kind.NONE).common,
                        new ClaimStatements(statements, described, false, CompletionEffect.Kind.SET).common)
                .filter(Objects::nonNull)
                .toList();
    }

    /** The calls that try out claims on a table with a token column, a side table and ranges; by key where that is possible. */
    public static List<Call<?>> trials(Statements statements, ColumnInfo key, ColumnInfo group) {
        ClaimTable table = described(statements, "jobs", key, texts(key, "token", "until", "1 = 1", "done = 1"));
        ClaimTable columns =
                ClaimTable.of("jobs", List.of(group.name()), List.of(group), statements, Map.of("order", group.name()));
        KeyGroups groups = new KeyGroups(columns, 1, true);
        ClaimReader<RowKey> reader = new ClaimReader<>(table, null);
        List<Call<?>> calls = new ArrayList<>(new RangeClaims<>(statements, reader, "scope", 1).trial());
        for (CompletionEffect effect :
                List.of(CompletionEffect.NONE, CompletionEffect.DELETE, CompletionEffect.set("done = 1"))) {
            for (ClaimStore<RowKey> store : List.of(
                    new TableClaims<>(statements, reader, "until", 1, effect, System::nanoTime),
                    new TableClaims<>(statements, reader, null, 1, effect, System::nanoTime),
                    new SideClaims<>(statements, reader, "scope", 1, effect))) {
                calls.addAll(PerKeyClaims.over(store, table, groups, statements, () -> {
                            throw new IllegalStateException("a trial finds no row");
                        })
                        .trial());
            }
        }
        return calls;
    }

    /** The same for a claim that looks for n rows from a certain row on. */
    public static Statements fromFront(
            Statements statements, String table, ColumnInfo key, String token, String until, String where, int n) {
        ClaimTable described = described(statements, table, key, texts(key, token, until, where, ""));
        ClaimStatements leases = new ClaimStatements(statements, described, true, CompletionEffect.Kind.NONE);
        return Objects.requireNonNull(leases.claimFromFront).of(n);
    }

    private static Map<String, String> texts(ColumnInfo key, String token, String until, String where, String effect) {
        return Map.of("where", where, "order", key.name(), "effect", effect, "token", token, "until", until);
    }

    private static ClaimTable described(
            Statements statements, String table, ColumnInfo key, Map<String, String> texts) {
        return ClaimTable.of(table, List.of(key.name()), List.of(key), statements, texts);
    }
}
