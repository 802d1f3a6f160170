package dev.dibs;

import dev.dibs.sql.ColumnInfo;
import dev.dibs.sql.Database;
import dev.dibs.sql.Secrets;
import dev.dibs.sql.SqlFailure;
import dev.dibs.sql.Statements;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes claims from what a builder tells, after a look at the table. */
final class ClaimsFactory {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int TOKEN_LENGTH = 32;

    private static final Set<Integer> TEXTS =
            Set.of(Types.VARCHAR, Types.CHAR, Types.LONGVARCHAR, Types.NVARCHAR, Types.NCHAR, Types.LONGNVARCHAR);

    private static final Set<Integer> BINARY =
            Set.of(Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB, Types.CLOB, Types.NCLOB);

    private final Database database;
    private final ClaimKeeper keeper;
    private final Errors errors;

    ClaimsFactory(Database database, ClaimKeeper keeper, Errors errors) {
        this.database = database;
        this.keeper = keeper;
        this.errors = errors;
    }

    <T> RowClaims<T> build(ClaimsBuilder told, @Nullable RowMapper<T> mapper) {
        requireEnough(told);
        Statements statements = database.statements();
        String quote = statements.fragment("quote");
        String table = SqlName.table(told.table, quote);
        List<ColumnInfo> columns = columns(table);
        List<String> keyNames = new ArrayList<>();
        List<ColumnInfo> keys = new ArrayList<>();
        for (String key : told.keys) {
            keyNames.add(SqlName.column(key, quote));
            keys.add(requireKey(find(table, columns, key)));
        }
        Map<String, String> texts = new HashMap<>();
        texts.put("where", told.where.isEmpty() ? "1 = 1" : "(" + told.where + ")");
        texts.put("order", told.orderBy.isEmpty() ? String.join(", ", keyNames) : told.orderBy);
        texts.put("effect", told.effect.assignments());
        texts.put("token", told.token == null ? "" : SqlName.column(told.token, quote));
        texts.put("until", told.until == null ? "" : SqlName.column(told.until, quote));
        ClaimTable described = ClaimTable.of(table, keyNames, keys, statements, texts);
        ClaimReader<T> reader = new ClaimReader<>(described, mapper == null ? keysOf(described) : mapper);
        ClaimStore<T> store = store(told, statements, columns, described, reader);
        return new RowClaims<>(store, described, database, keeper, errors, told.lease);
    }

    private <T> ClaimStore<T> store(
            ClaimsBuilder told,
            Statements statements,
            List<ColumnInfo> columns,
            ClaimTable table,
            ClaimReader<T> reader) {
        requireToken(table.table(), find(table.table(), columns, told.token));
        String until = told.until == null ? null : requireTime(find(table.table(), columns, told.until));
        return new TableClaims<>(statements, table, reader, until, told.lease.toMillis(), told.effect);
    }

    /** Without a mapper a row is its key, so that T is RowKey. */
    @SuppressWarnings("unchecked")
    private static <T> RowMapper<T> keysOf(ClaimTable table) {
        return row -> (T) table.keyOf(row);
    }

    private static void requireEnough(ClaimsBuilder told) {
        if (told.keys.isEmpty()) {
            throw new IllegalArgumentException(
                    "the claims on " + told.table + " need a key: name its columns with key(..)");
        }
        if (told.side == (told.token != null)) {
            throw new IllegalArgumentException("the claims on " + told.table
                    + " need one place to be kept in: name a column with token(..), or use sideTable()");
        }
        if (told.until != null && told.token == null) {
            throw new IllegalArgumentException("until(..) goes with token(..)");
        }
    }

    private List<ColumnInfo> columns(String table) {
        Statements about = database.statements().only("columns_of_table", Map.of("table", table));
        try {
            return database.columns(about, "columns_of_table", TIMEOUT);
        } catch (SqlFailure e) {
            throw new DibsException(
                    "the table " + table + " can not be read: " + Secrets.masked(e.getCause())
                            + ". See that it is there and may be read, and quote its name if it is a reserved word",
                    e.getCause());
        }
    }

    private static ColumnInfo find(String table, List<ColumnInfo> columns, String name) {
        String bare = SqlName.bare(name);
        return columns.stream()
                .filter(column -> column.name().equals(bare))
                .findFirst()
                .or(() -> columns.stream()
                        .filter(column -> column.name().equalsIgnoreCase(bare))
                        .findFirst())
                .orElseThrow(() -> new DibsException(
                        "the table " + table + " has no column " + name + "; it has "
                                + columns.stream().map(ColumnInfo::name).toList(),
                        null));
    }

    private static ColumnInfo requireKey(ColumnInfo column) {
        // H2's UUID is a binary of its own, which is written as a text.
        if (BINARY.contains(column.jdbcType()) && !column.type().equalsIgnoreCase("uuid")) {
            throw new DibsException(
                    "the column " + column.name() + " is of the type " + column.type()
                            + ", which can not be a key here. Use another unique column, or make one",
                    null);
        }
        return column;
    }

    private static void requireToken(String table, ColumnInfo column) {
        if (!TEXTS.contains(column.jdbcType()) || (column.size() > 0 && column.size() < TOKEN_LENGTH)) {
            throw new DibsException(
                    "the column " + column.name() + " of " + table + " is of the type "
                            + column.type().toLowerCase(Locale.ROOT) + "(" + column.size()
                            + "); a token needs a text of " + TOKEN_LENGTH + " characters",
                    null);
        }
    }

    private static String requireTime(ColumnInfo column) {
        if (column.jdbcType() != Types.BIGINT) {
            throw new DibsException(
                    "the column " + column.name() + " is of the type " + column.type()
                            + "; the end of a claim needs a BIGINT, for milliseconds since 1970 UTC",
                    null);
        }
        return column.name();
    }
}
