package dev.dibs.internal.claims.store;

import dev.dibs.internal.claims.store.ClaimStore.Change;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.Statements;
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
