package dev.dibs.internal.claims.store;

import dev.dibs.DatabaseFailureException;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.KeyKind;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.values.BinaryKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The user's table as the statements need it: names as they stand in a statement, and the key's columns as the database has them, with the
 * kind of each.
 */
public record ClaimTable(
        String table,
        List<String> keyNames,
        List<ColumnInfo> keyColumns,
        List<KeyKind> kinds,
        Map<String, String> texts) {

    private static final String KEY = "dibs_key";
    private static final int LONGEST_DESCRIPTION = 60;
    private static final String BINARY_SENT = "binary_sent";
    private static final Pattern DIRECTION = Pattern.compile("(?i)^t\\.|(?:\\s+(?:ASC|DESC))?(?:\\s+NULLS\\s+\\w+)?$");

    /**
     * Describes the table.
     *
     * @param statements have the dialect's texts for one column of a key
     * @param others the texts that do not depend on the key
     * @throws IllegalArgumentException if a column cannot be a key
     */
    public static ClaimTable of(
            String table,
            List<String> keyNames,
            List<ColumnInfo> keys,
            Statements statements,
            Map<String, String> others) {
        List<KeyKind> kinds = keys.stream().map(statements.keyTypes()::kindOf).toList();
        return of(table, keyNames, keys, kinds, statements, others);
    }

    /** The same for columns whose types are not known, but their kinds. */
    public static ClaimTable of(
            String table,
            List<String> keyNames,
            List<ColumnInfo> keys,
            List<KeyKind> kinds,
            Statements statements,
            Map<String, String> others) {
        Map<String, String> texts = new HashMap<>(others);
        texts.putAll(new ClaimTable(table, keyNames, keys, kinds, Map.of()).keyTexts(statements));
        return new ClaimTable(table, keyNames, keys, kinds, Map.copyOf(texts));
    }

    /** The texts that depend on the table and its key. */
    private Map<String, String> keyTexts(Statements statements) {
        Map<String, String> texts = new HashMap<>();
        texts.put("table", table);
        texts.put("n", ":n");
        texts.put("list", Integer.toHexString(Objects.hash(table, keyNames)));
        texts.put("t_keys", each(", ", i -> "t." + keyNames.get(i)));
        texts.put("keys_as", each(", ", i -> "t." + keyNames.get(i) + " AS " + alias(i)));
        texts.put("key_texts", each(", ", i -> written(statements, "t." + keyNames.get(i), i)));
        texts.put("returned_keys", each(", ", i -> written(statements, keyNames.get(i), i)));
        texts.put("done_texts", each(", ", i -> written(statements, alias(i), i)));
        texts.put("and_texts", each("", i -> beside(statements, i)));
        texts.put("inserted_keys", each(", ", i -> "inserted." + keyNames.get(i)));
        texts.put("deleted_keys", each(", ", i -> "deleted." + keyNames.get(i)));
        texts.put("key_aliases", each(", ", ClaimTable::alias));
        texts.put("key_match", each(" AND ", i -> oneOf("key_match", statements, i)));
        texts.put("key_members", each(", ", i -> oneOf("key_member", statements, i)));
        texts.put("asked_members", each(", ", i -> oneOf("asked_member", statements, i)));
        texts.put("key_list", each(", ", i -> oneOf("key_list", statements, i)));
        texts.put("first_key", keyNames.get(0));
        texts.put("first_type", typeOf(statements, 0));
        texts.put("t_row_key", rowKey(statements, i -> "t." + keyNames.get(i)));
        texts.put("key_description", keyDescription());
        texts.put(BINARY_SENT, statements.fragment("key_sent", KeyKind.BINARY));
        texts.put("k_row_key", rowKey(statements, i -> oneOf("key_value", statements, i)));
        return texts;
    }

    /** The columns of the key and their types, for people: within a text of a statement, which has 128 characters. */
    private String keyDescription() {
        String all = each(
                ", ", i -> keyColumns.get(i).name() + " " + keyColumns.get(i).type());
        String plain = all.replaceAll("['\\\\{}]", "");
        return plain.substring(0, Math.min(plain.length(), LONGEST_DESCRIPTION));
    }

    /** The dialect's text for one column of the key, by the kind of its type. */
    public String oneOf(String fragment, Statements statements, int i) {
        return statements
                .fragment(fragment, kinds.get(i))
                .replace("#", String.valueOf(i + 1))
                .replace("{type}", typeOf(statements, i))
                .replace("{key}", keyNames.get(i));
    }

    /** A column of the key in an answer: as a text if the database must write it. */
    String written(Statements statements, String column, int i) {
        KeyKind kind = kinds.get(i);
        String text = kind.isWrittenByDatabase()
                ? statements.fragment("key_written", kind).replace("#", column)
                : column;
        return text + " AS " + alias(i);
    }

    /** Such a text beside all columns of the row, if the database must write it. */
    private String beside(Statements statements, int i) {
        return kinds.get(i).isWrittenByDatabase() ? ", " + written(statements, "t." + keyNames.get(i), i) : "";
    }

    private String typeOf(Statements statements, int i) {
        ColumnInfo key = keyColumns.get(i);
        String quote = statements.fragment("quote");
        return statements
                .fragment("key_type", kinds.get(i))
                .replace("{type}", key.type())
                .replace("{quoted_type}", key.type().startsWith(quote) ? key.type() : SqlName.quoted(key.type(), quote))
                .replace("{size}", String.valueOf(key.size()))
                .replace("{hex_size}", String.valueOf(2L * key.size()))
                .replace("{scale}", String.valueOf(key.scale()));
    }

    /** The key of a row as one text that the database writes: as {@link RowKey#toString} does, and the same in all sessions. */
    private String rowKey(Statements statements, IntFunction<String> column) {
        String part = keyNames.size() == 1 ? "key_text" : "key_part";
        String glue = " " + statements.fragment("key_glue") + " ";
        String all = each(glue, i -> statements.fragment(part, kinds.get(i)).replace("#", column.apply(i)));
        return statements.fragment("key_whole").replace("#", all);
    }

    String each(String between, IntFunction<String> text) {
        return IntStream.range(0, keyNames.size()).mapToObj(text).collect(Collectors.joining(between));
    }

    private static String alias(int i) {
        return KEY + (i + 1);
    }

    /** The key of a row of the table itself. */
    RowKey keyOf(ResultSet row) throws SQLException {
        Object[] values = new Object[keyColumns.size()];
        for (int i = 0; i < values.length; i++) {
            boolean written = kinds.get(i).isWrittenByDatabase();
            int column = row.findColumn(written ? alias(i) : keyColumns.get(i).name());
            values[i] = text(row, column, i, true);
        }
        return RowKey.of(values);
    }

    /** Whether a row of an answer is none of the table. */
    boolean hasNoKey(ResultSet row) throws SQLException {
        return row.getObject(
                        kinds.get(0).isWrittenByDatabase()
                                ? alias(0)
                                : keyColumns.get(0).name())
                == null;
    }

    /** Finds those of the rows that meet the condition. */
    public Call<Boolean> stillOpen(Statements statements, List<RowKey> keys) {
        Params params = withKeys(Params.none(), keys);
        return Call.of(statements.only("still_open", texts), "still_open", params, row -> true)
                .labelled("dibs_open");
    }

    /** A call whose result is the keys of rows, each read by {@link #keyIn}. */
    static Steps<RowKey> keysOf(Call<RowKey> call) {
        return Steps.of(call.labelled(alias(0)));
    }

    /** The key of a result row whose first columns are those of the key, in their order. */
    public RowKey keyIn(ResultSet row) throws SQLException {
        Object[] values = new Object[keyColumns.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = text(row, i + 1, i, false);
        }
        return RowKey.of(values);
    }

    /** The text of a value of a column that may be NULL. */
    public @Nullable String textOrNull(ResultSet row, int column, int i) throws SQLException {
        return row.getObject(column) == null ? null : text(row, column, i, true);
    }

    /**
     * The text of a value. SQLite keeps a value of another type than that of the column.
     *
     * @param own whether the column is that of the table; a list of keys has bytes as hexadecimal digits
     */
    private String text(ResultSet row, int column, int i, boolean own) throws SQLException {
        KeyKind kind = kinds.get(i);
        if (kind.isWrittenByDatabase()) {
            return required(row.getString(column), i);
        }
        Object value = required(row.getObject(column), i);
        if (kind == KeyKind.WHOLE && (value instanceof Long || value instanceof Integer)) {
            return value.toString();
        }
        if (value instanceof byte[] bytes && kind == KeyKind.BINARY) {
            return BinaryKey.text(bytes);
        }
        if (value instanceof byte[] || (own && kind == KeyKind.BINARY)) {
            throw strange(value, i);
        }
        if (kind != KeyKind.WHOLE) {
            return ColumnText.of(kind, value.toString());
        }
        // To a driver, a small number may be a truth value, and a year a date.
        String text = value instanceof Number || value instanceof String
                ? value.toString()
                : String.valueOf(row.getLong(column));
        if (!ColumnText.isOf(kind, text)) {
            throw strange(value, i);
        }
        return text;
    }

    private DatabaseFailureException strange(Object value, int i) {
        ColumnInfo column = keyColumns.get(i);
        return new DatabaseFailureException("a key in the column " + column.name() + " of " + table + " is a "
                + value.getClass().getSimpleName() + ", but the type of the column is " + column.type()
                + ": no key names that row. Store a value of the column's type in it");
    }

    private <V> V required(@Nullable V value, int i) {
        if (value == null) {
            throw new DatabaseFailureException(
                    "the key column " + keyNames.get(i) + " is NULL in a row; a key must not be NULL");
        }
        return value;
    }

    /** The key as its {@link RowKey#toString} writes it, or as the database writes it in the claim table. */
    public RowKey parse(String text) {
        List<String> texts = ColumnText.parse(text, keyColumns.size()).texts();
        return RowKey.of(IntStream.range(0, texts.size())
                .mapToObj(i -> ColumnText.of(kinds.get(i), texts.get(i)))
                .toArray());
    }

    /** The same table, with a condition that no row meets and that still has all of the user's. */
    public ClaimTable withoutRows() {
        Map<String, String> none = new HashMap<>(texts);
        none.computeIfPresent("where", (name, where) -> "1 = 0 AND " + where);
        return new ClaimTable(table, keyNames, keyColumns, kinds, Map.copyOf(none));
    }

    /** Whether the key is one column with whole numbers. */
    public boolean isNumbered() {
        return keyColumns.size() == 1 && kinds.get(0) == KeyKind.WHOLE;
    }

    /** The columns of the key that the order does not name, each after a comma: they decide between rows that it takes for equal. */
    String ties() {
        List<String> ordered = ClaimSql.terms(String.valueOf(texts.get("order")));
        return keyNames.stream()
                .filter(key -> ordered.stream().noneMatch(term -> isColumn(term, key)))
                .map(key -> ", t." + key)
                .collect(Collectors.joining());
    }

    /** Whether a term of an order sorts by this column, quoted or not. */
    static boolean isColumn(String term, String column) {
        String text = DIRECTION.matcher(term).replaceAll("");
        return SqlName.bareIfWord(text).equalsIgnoreCase(SqlName.bare(column));
    }

    /** That t and k have the same key, where k has it as it is, and not as a list of keys has it. */
    String sameKey() {
        return each(" AND ", i -> "t." + keyNames.get(i) + " = k." + alias(i));
    }

    boolean isInOrderOfKey() {
        return String.join(", ", keyNames).equals(texts.get("order"));
    }

    public Params withKeys(Params params, List<RowKey> keys) {
        List<List<String>> columns = new ArrayList<>(kinds.size());
        for (int i = 0; i < kinds.size(); i++) {
            columns.add(column(keys, i));
        }
        params.withKeys(columns);
        for (int i = 0; i < kinds.size(); i++) {
            if (kinds.get(i) == KeyKind.BINARY) {
                params.with("key" + (i + 1), bytes(keys, i));
            }
        }
        return params;
    }

    private List<String> column(List<RowKey> keys, int i) {
        boolean binary = kinds.get(i) == KeyKind.BINARY;
        List<String> column = new ArrayList<>(keys.size());
        for (RowKey key : keys) {
            String text = kinds.size() == 1 ? key.toString() : key.texts().get(i);
            column.add(binary ? texts.get(BINARY_SENT).replace("#", BinaryKey.hex(text)) : text);
        }
        return column;
    }

    /** For a database that takes arrays. */
    private static byte[][] bytes(List<RowKey> keys, int i) {
        return keys.stream().map(key -> key.part(i).asBytes()).toArray(byte[][]::new);
    }

    /**
     * Checks a key that a caller names and that the claim does not have.
     *
     * @throws IllegalArgumentException if no row can have it
     */
    public void check(RowKey key) {
        List<String> texts = key.texts();
        if (texts.size() != keyNames.size()) {
            throw new IllegalArgumentException("the key '" + key + "' has " + texts.size() + " values, but " + table
                    + " has the key columns " + keyNames);
        }
        for (int i = 0; i < texts.size(); i++) {
            if (!ColumnText.isOf(kinds.get(i), texts.get(i))) {
                throw new IllegalArgumentException("the key column "
                        + keyColumns.get(i).name() + " of " + table
                        + " is of the type " + keyColumns.get(i).type() + ", which has no value '" + texts.get(i)
                        + "'"
                        + (kinds.get(i) == KeyKind.BINARY
                                ? "; bytes are hexadecimal digits in lower case, and 16 of them are written as a UUID"
                                : ""));
            }
        }
    }
}
