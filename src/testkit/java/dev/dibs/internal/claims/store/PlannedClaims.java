package dev.dibs.internal.claims.store;

import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.Statements;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The statements of claims that are stored in tables of Dibs, filled in for a table whose key is one whole number. */
public final class PlannedClaims {

    private PlannedClaims() {}

    /**
     * The statements of a file, with its strictest conditions.
     *
     * @param file {@code side} or {@code range}
     */
    public static Statements of(Statements statements, String file, String table, ColumnInfo key, String where) {
        List<String> names = List.of(key.name());
        Map<String, String> texts = Map.of(
                "where",
                "(" + where + ")",
                "order",
                key.name(),
                "effect",
                where,
                "t_row_key",
                RowKeyText.of(statements, ClaimTable.columnsOf("t", names)),
                "k_row_key",
                RowKeyText.of(statements, ClaimTable.aliasesIn("k", names)));
        Map<String, String> choices =
                Map.of("side_once", "side_first_time", "side_still", "side_not_passed", "side_change", "side_put_off");
        return statements.about(
                file,
                file.equals("side") ? choices : Map.of(),
                ClaimTable.of(table, names, List.of(key), statements, texts).texts());
    }

    /** The statements of claims that are stored in the table's own columns, with an effect that changes one more column. */
    public static Statements ofTable(
            Statements statements, String table, ColumnInfo key, String token, String until, String effect) {
        Map<String, String> texts =
                Map.of("where", "1 = 1", "order", key.name(), "effect", effect, "token", token, "until", until);
        return statements.about(choices("any_time"), texts(statements, table, key, texts));
    }

    /** In every way in which they are claimed and changed, until a time or until they are released. */
    public static List<Statements> allOfTable(
            Statements statements, String table, ColumnInfo key, String token, String until, String effect) {
        Map<String, String> columns =
                Map.of("where", "1 = 1", "order", key.name(), "effect", effect, "token", token, "until", until);
        Map<String, String> filled = new HashMap<>(texts(statements, table, key, columns));
        filled.put("n", "10");
        return Stream.of(
                        Map.of("once", "first_time"),
                        Map.of("once", "from_front"),
                        Map.of("change", "postpone"),
                        Map.of("change", "dead_letter"),
                        Map.of("change", "renew", "still", "not_passed"),
                        Map.of("complete", "lease_drop"),
                        Map.of(
                                "free",
                                "marker_free",
                                "mark",
                                "marker_mark",
                                "drop",
                                "marker_drop",
                                "change",
                                "marker_drop"))
                .filter(some -> !some.containsValue("from_front") || statements.hasFragment("from_front"))
                .map(some -> {
                    Map<String, String> choices = new HashMap<>(choices("any_time"));
                    choices.putAll(some);
                    return statements.about(choices, filled);
                })
                .toList();
    }

    /** The same for a claim that looks for n rows from a certain row on. */
    public static Statements fromFront(
            Statements statements, String table, ColumnInfo key, String token, String until, String where, int n) {
        Map<String, String> texts =
                Map.of("where", where, "order", key.name(), "effect", "", "token", token, "until", until);
        Map<String, String> sized = new HashMap<>(texts(statements, table, key, texts));
        sized.put("n", String.valueOf(n));
        return statements.about(choices("from_front"), sized);
    }

    private static Map<String, String> choices(String once) {
        return Map.of(
                "free", "lease_free",
                "mark", "lease_mark",
                "drop", "lease_drop",
                "once", once,
                "still", "any_time",
                "change", "lease_drop",
                "asked_for", "column_asked_for",
                "to_pick", "column_to_pick",
                "picked", "column_picked",
                "complete", "effect_and_drop");
    }

    private static Map<String, String> texts(
            Statements statements, String table, ColumnInfo key, Map<String, String> texts) {
        return ClaimTable.of(table, List.of(key.name()), List.of(key), statements, texts)
                .texts();
    }
}
