package dev.dibs.internal.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.claims.store.ClaimTable;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.KeyKind;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.files.Statements;
import java.sql.Types;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The columns of a table of the user's, and whether they can have what claims keep in them. */
record ClaimColumns(String table, List<ColumnInfo> columns, Statements statements) {

    private static final int TOKEN_LENGTH = 32;
    private static final int TIME_DIGITS = 16;
    private static final Set<Integer> TEXTS = Set.of(
            Types.VARCHAR, Types.CHAR, Types.LONGVARCHAR, Types.NVARCHAR, Types.NCHAR, Types.LONGNVARCHAR, Types.CLOB);
    private static final Pattern SIGNED = Pattern.compile("(?i)(?!bigint.*unsigned|oid).*");
    /** Of these, the text that the database makes of a list of keys is the one that it makes of the rows. */
    private static final Set<KeyKind> WRITTEN_BY_ALL_ALIKE = EnumSet.of(
            KeyKind.WHOLE, KeyKind.DECIMAL, KeyKind.TEXT, KeyKind.CHAR, KeyKind.LABEL, KeyKind.UUID, KeyKind.BINARY);

    List<ColumnInfo> findAll(List<String> names) {
        return names.stream().map(this::find).toList();
    }

    ColumnInfo find(@Nullable String name) {
        String bare = SqlName.bare(String.valueOf(name));
        return columns.stream()
                .filter(column -> column.name().equals(bare))
                .findFirst()
                .or(() -> columns.stream()
                        .filter(column -> column.name().equalsIgnoreCase(bare))
                        .findFirst())
                .orElseThrow(() -> new DatabaseFailureException("the table " + table + " has no column " + name
                        + "; it has " + columns.stream().map(ColumnInfo::name).toList()));
    }

    /** The claim table names a row by a text. */
    static void requireOneText(ClaimTable table) {
        for (int i = 0; i < table.kinds().size(); i++) {
            if (!WRITTEN_BY_ALL_ALIKE.contains(table.kinds().get(i))) {
                ColumnInfo column = table.keyColumns().get(i);
                throw new DatabaseFailureException("the column " + column.name() + " is of the type " + column.type()
                        + ", which cannot be a key with sideTable(): use a number, a text, a UUID or bytes, or keep the"
                        + " claims in a column of the table with token(..)");
            }
        }
    }

    /** The bounds of a range are signed, of 64 bits. */
    static void requireRangeKey(ClaimTable table) {
        if (!table.isNumbered()
                || !SIGNED.matcher(table.keyColumns().get(0).type()).matches()) {
            throw new DatabaseFailureException(
                    "ranges need a key of one column that is a whole number of at most 64 bits with a sign; "
                            + table.table() + " has " + table.keyColumns());
        }
    }

    void requireToken(@Nullable String name) {
        ColumnInfo column = find(name);
        boolean loose = statements.features().looseTypes();
        boolean text =
                loose ? isOf(column, KeyKind.TEXT) || isOf(column, KeyKind.BINARY) : TEXTS.contains(column.jdbcType());
        if (!text || (!loose && column.size() > 0 && column.size() < TOKEN_LENGTH)) {
            throw new DatabaseFailureException("the column " + column.name() + " of " + table + " is of the type "
                    + column.type().toLowerCase(Locale.ROOT)
                    + (column.size() > 0 ? "(" + column.size() + ")" : "")
                    + "; a token needs a text of at least " + TOKEN_LENGTH + " characters");
        }
        String named = inStatement(name);
        requireNull(column, named, "; UPDATE " + table + " SET " + named + " = NULL WHERE " + named + " = ''");
    }

    private String inStatement(@Nullable String name) {
        return SqlName.column(String.valueOf(name), statements.fragment("quote"));
    }

    /** A row that is free, or dead, has no end, and a free one no token. */
    private void requireNull(ColumnInfo column, String named, String andThen) {
        if (!column.mayBeNull()) {
            boolean sized = TEXTS.contains(column.jdbcType()) && column.size() > 0;
            String type = column.type() + (sized ? "(" + column.size() + ")" : "");
            throw new DatabaseFailureException("the column " + column.name() + " of " + table
                    + " is NOT NULL, but a claim writes NULL into it when it ends. Run: "
                    + statements
                            .only("allow_null", Map.of("table", table, "column", named, "type", type))
                            .text("allow_null")
                    + andThen);
        }
    }

    /** The time has 13 digits, and that of a dead row in the claim table 16. */
    String requireTime(String name) {
        ColumnInfo column = find(name);
        boolean loose = statements.features().looseTypes();
        boolean decimal = column.jdbcType() == Types.NUMERIC || column.jdbcType() == Types.DECIMAL;
        boolean holds = column.jdbcType() == Types.BIGINT
                || (loose && (decimal || isOf(column, KeyKind.WHOLE)))
                || (decimal && (column.size() == 0 || column.size() - column.scale() >= TIME_DIGITS));
        if (!holds) {
            throw new DatabaseFailureException(
                    "the column " + column.name() + " is of the type " + column.type()
                            + "; the end of a claim needs a BIGINT (on SQLite INTEGER) or a DECIMAL of 16 digits, for milliseconds since 1970 UTC");
        }
        requireNull(column, inStatement(name), "");
        return column.name();
    }

    private boolean isOf(ColumnInfo column, KeyKind kind) {
        try {
            return statements.keyTypes().kindOf(column) == kind;
        } catch (IllegalArgumentException e) {
            // It cannot be a key.
            return false;
        }
    }
}
