package dev.dibs.internal.claims;

import dev.dibs.DibsException;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.ColumnInfo;
import dev.dibs.internal.sql.Params;
import dev.dibs.internal.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The user's table as the statements need it: names as they stand in a statement, and the key's columns as the database has them. */
public record ClaimTable(String table, List<String> keyNames, List<ColumnInfo> keyColumns, Map<String, String> texts) {

    static final String KEY = "dibs_key";

    private static final Set<Integer> WHOLE_NUMBERS =
            Set.of(Types.BIGINT, Types.INTEGER, Types.SMALLINT, Types.TINYINT);

    /**
     * Describes the table.
     *
     * @param statements have the dialect's texts for one column of a key
     * @param others the texts that do not depend on the key
     */
    static ClaimTable of(
            String table,
            List<String> keyNames,
            List<ColumnInfo> keys,
            Statements statements,
            Map<String, String> others) {
        Map<String, String> texts = new HashMap<>(others);
        texts.put("table", table);
        texts.put("n", ":n");
        texts.put("keys", String.join(", ", keyNames));
        texts.put("t_keys", each(keyNames, ", ", i -> "t." + keyNames.get(i)));
        texts.put("keys_as", each(keyNames, ", ", i -> "t." + keyNames.get(i) + " AS " + alias(i)));
        texts.put("inserted_keys", each(keyNames, ", ", i -> "inserted." + keyNames.get(i)));
        texts.put("key_aliases", each(keyNames, ", ", ClaimTable::alias));
        texts.put("key_match", each(keyNames, " AND ", i -> oneOf("key_match", statements, i, keyNames, keys)));
        texts.put("key_members", each(keyNames, ", ", i -> "'" + alias(i) + "', " + alias(i)));
        texts.put("key_list", each(keyNames, ", ", i -> oneOf("key_list", statements, i, keyNames, keys)));
        texts.put("first_key", keyNames.get(0));
        texts.put("first_type", typeOf(statements, keys.get(0)));
        return new ClaimTable(table, keyNames, keys, Map.copyOf(texts));
    }

    /** The dialect's text for one column of the key, by the kind of its type. */
    private static String oneOf(
            String fragment, Statements statements, int i, List<String> names, List<ColumnInfo> keys) {
        return statements
                .fragment(fragment, keys.get(i).kind())
                .replace("#", String.valueOf(i + 1))
                .replace("{type}", typeOf(statements, keys.get(i)))
                .replace("{key}", names.get(i));
    }

    private static String typeOf(Statements statements, ColumnInfo key) {
        return statements
                .fragment("key_type", key.kind())
                .replace("{type}", key.type())
                .replace("{size}", String.valueOf(key.size()))
                .replace("{scale}", String.valueOf(key.scale()));
    }

    private static String each(List<String> names, String between, IntFunction<String> text) {
        return IntStream.range(0, names.size()).mapToObj(text).collect(Collectors.joining(between));
    }

    static List<String> columnsOf(String alias, List<String> keyNames) {
        return keyNames.stream().map(name -> alias + "." + name).toList();
    }

    /** The columns of a list of keys. */
    static List<String> aliasesIn(String alias, List<String> keyNames) {
        return IntStream.range(0, keyNames.size())
                .mapToObj(i -> alias + "." + alias(i))
                .toList();
    }

    private static String alias(int i) {
        return KEY + (i + 1);
    }

    /** The key of a row of the table itself. */
    RowKey keyOf(ResultSet row) throws SQLException {
        Object[] values = new Object[keyColumns.size()];
        for (int i = 0; i < values.length; i++) {
            String column = keyColumns.get(i).name();
            values[i] = value(row.getObject(column), column);
        }
        return RowKey.of(values);
    }

    /** The key of a result row whose first columns are those of the key, in their order. */
    RowKey keyIn(ResultSet row) throws SQLException {
        Object[] values = new Object[keyColumns.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = value(row.getObject(i + 1), keyNames.get(i));
        }
        return RowKey.of(values);
    }

    private static Object value(@Nullable Object value, String column) {
        if (value == null) {
            throw new DibsException("the key column " + column + " is NULL in a row; a key must not be NULL", null);
        }
        boolean whole = value instanceof Integer || value instanceof Short || value instanceof Byte;
        return whole ? Long.valueOf(((Number) value).longValue()) : value;
    }

    /** The same table, with a condition that no row meets and that still has all of the user's. */
    ClaimTable withoutRows() {
        Map<String, String> none = new HashMap<>(texts);
        none.computeIfPresent("where", (name, where) -> "1 = 0 AND " + where);
        return new ClaimTable(table, keyNames, keyColumns, Map.copyOf(none));
    }

    /** Whether the key is one column with whole numbers. */
    boolean isNumbered() {
        return keyColumns.size() == 1
                && WHOLE_NUMBERS.contains(keyColumns.get(0).jdbcType());
    }

    /** Whether rows are claimed in the order of the key. */
    boolean isInOrderOfKey() {
        return String.join(", ", keyNames).equals(texts.get("order"));
    }

    Params withKeys(Params params, List<RowKey> keys) {
        return params.withKeys(columns(keys));
    }

    private List<List<String>> columns(List<RowKey> keys) {
        if (keyColumns.size() == 1) {
            return List.of(keys.stream().map(RowKey::toString).toList());
        }
        List<List<String>> columns = new ArrayList<>();
        for (int i = 0; i < keyColumns.size(); i++) {
            int column = i;
            columns.add(keys.stream()
                    .map(key -> key.values().get(column).toString())
                    .toList());
        }
        return columns;
    }

    /** The key that a caller names; it must have a value for each column. */
    RowKey check(Object key) {
        RowKey checked = RowKeys.from(key);
        if (checked.values().size() != keyNames.size()) {
            throw new IllegalArgumentException("the key '" + checked + "' has "
                    + checked.values().size() + " values, but " + table + " has the key columns " + keyNames);
        }
        return checked;
    }
}
