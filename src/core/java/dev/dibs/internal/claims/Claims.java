package dev.dibs.internal.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowMapper;
import dev.dibs.internal.claims.store.ClaimReader;
import dev.dibs.internal.claims.store.ClaimStore;
import dev.dibs.internal.claims.store.ClaimTable;
import dev.dibs.internal.claims.store.CompletionEffect;
import dev.dibs.internal.claims.store.RangeClaims;
import dev.dibs.internal.claims.store.SideClaims;
import dev.dibs.internal.claims.store.TableClaims;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.KeyKind;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.run.Call;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import dev.dibs.internal.sql.run.Steps;
import dev.dibs.internal.time.Deadline;
import dev.dibs.internal.values.Arguments;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The claims of one Dibs. Looks at the table before it makes claims. Get it by {@code Dibs.claims(..)}. Safe for use by any thread. */
public final class Claims {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int TOKEN_LENGTH = 32;
    private static final int TIME_DIGITS = 16;
    private static final int SCOPE_LENGTH = 200;

    private static final Set<Integer> TEXTS = Set.of(
            Types.VARCHAR, Types.CHAR, Types.LONGVARCHAR, Types.NVARCHAR, Types.NCHAR, Types.LONGNVARCHAR, Types.CLOB);

    private static final Pattern SIGNED = Pattern.compile("(?i)(?!bigint.*unsigned|oid).*");

    /** Of these, the text that the database makes of a list of keys is the one that it makes of the rows. */
    private static final Set<KeyKind> WRITTEN_BY_ALL_ALIKE = EnumSet.of(
            KeyKind.WHOLE, KeyKind.DECIMAL, KeyKind.TEXT, KeyKind.CHAR, KeyKind.LABEL, KeyKind.UUID, KeyKind.BINARY);

    private final Context context;
    private final Database database;
    private final ClaimKeeper keeper;

    public Claims(Context context) {
        this.context = context;
        this.database = context.database();
        this.keeper = new ClaimKeeper(context);
    }

    /**
     * Claims on the rows of an application's own table.
     *
     * @param table its name, plain or quoted, with its schema if needed
     * @param lease how long a claim lasts without a renewal, unless the builder gets another length
     */
    public ClaimsBuilder on(String table, Duration lease) {
        return new ClaimsSpec(this, ClaimOptions.of(Arguments.required("table", table), lease));
    }

    /** Releases all claims and ends the threads. */
    public void close(Duration patience) {
        keeper.close(Deadline.in(patience));
    }

    <T> DatabaseClaims<T> build(ClaimOptions asked, @Nullable RowMapper<T> mapper) {
        requireEnough(asked);
        ClaimOptions options = asked.withEffect(effect(asked));
        Statements statements = database.statements();
        String quote = statements.fragment("quote");
        String table = SqlName.table(options.table(), quote);
        List<ColumnInfo> columns = columns(table);
        List<String> keyNames = new ArrayList<>();
        List<ColumnInfo> keys = new ArrayList<>();
        for (String key : options.keys()) {
            keyNames.add(SqlName.column(key, quote));
            keys.add(find(table, columns, key));
        }
        Map<String, String> texts = options.texts(keyNames, quote);
        texts.computeIfPresent("where", (name, where) -> withoutNull(keyNames, keys) + where);
        ClaimTable described = describe(table, keyNames, keys, texts);
        if (options.side() || options.ranges() != null) {
            requireOneText(described);
        }
        ClaimReader<T> reader = new ClaimReader<>(described, mapper);
        ClaimStore<T> store = store(options, statements, columns, reader);
        check(options, described);
        ClaimDoctor doctor = doctor(options, described, columns);
        if (!options.unique()) {
            doctor.requireUniqueKey();
        }
        // Each statement is sent once as it will be, but with a condition that no row meets.
        ClaimReader<T> nothing = new ClaimReader<>(described.withoutRows(), mapper);
        List<Call<?>> trial =
                store(options.forTrial(), statements, columns, nothing).trial();
        tryOut(trial, described, "one of their statements, in which the row is t");
        open(store, described);
        if (options.ranges() == null) {
            doctor.warnAtStart();
        }
        ClaimEngine<T> engine = new ClaimEngine<>(context, store, described, keeper, options.lease());
        return new DatabaseClaims<>(engine, context, doctor);
    }

    /** No statement finds a row by a key that is NULL. Such a row would stand in the way of all behind it. */
    private static String withoutNull(List<String> keyNames, List<ColumnInfo> keys) {
        return IntStream.range(0, keys.size())
                .filter(i -> keys.get(i).mayBeNull())
                .mapToObj(i -> "t." + keyNames.get(i) + " IS NOT NULL AND ")
                .collect(Collectors.joining());
    }

    private ClaimTable describe(String table, List<String> keyNames, List<ColumnInfo> keys, Map<String, String> texts) {
        try {
            return ClaimTable.of(table, keyNames, keys, database.statements(), texts);
        } catch (IllegalArgumentException e) {
            throw new DatabaseFailureException("claims on " + table + ": " + e.getMessage(), e);
        }
    }

    private ClaimDoctor doctor(ClaimOptions options, ClaimTable table, List<ColumnInfo> columns) {
        return new ClaimDoctor(
                database,
                table.table(),
                table.keyColumns().stream().map(ColumnInfo::name).toList(),
                options.token() == null
                        ? null
                        : find(table.table(), columns, options.token()).name(),
                options.until() == null
                        ? null
                        : find(table.table(), columns, options.until()).name(),
                options.where().isEmpty() || options.ranges() != null);
    }

    private <T> ClaimStore<T> store(
            ClaimOptions options, Statements statements, List<ColumnInfo> columns, ClaimReader<T> reader) {
        ClaimTable table = reader.table();
        long lease = options.lease().toMillis();
        if (options.side()) {
            return new SideClaims<>(statements, reader, scope(options.table()), lease, options.effect());
        }
        if (options.ranges() != null) {
            requireRangeKey(table);
            return new RangeClaims<>(statements, reader, options.ranges(), lease);
        }
        requireToken(table.table(), find(table.table(), columns, options.token()));
        String until = options.until() == null ? null : requireTime(find(table.table(), columns, options.until()));
        return new TableClaims<>(statements, reader, until, lease, options.effect());
    }

    /** The user's SQL is prepared here, so that an error is reported at once and not by the first claim. */
    private void check(ClaimOptions options, ClaimTable table) {
        check(table, "check_condition", "where(" + options.where() + ") or orderBy(" + options.orderBy() + ")");
        if (options.token() != null) {
            check(table, "check_mark", "marking rows in " + options.token());
        }
        switch (options.effect().kind()) {
            case SET, SET_KEY ->
                check(table, "check_effect", "completeSet(" + options.effect().assignments() + ")");
            case DELETE -> check(table, "check_delete", "completeDelete()");
            case NONE -> {}
        }
    }

    private void check(ClaimTable table, String statement, String what) {
        Call<Boolean> call =
                Call.of(database.statements().only(statement, table.texts()), statement, Params.none(), row -> true);
        tryOut(List.of(call), table, what);
    }

    /** A trigger for each statement also fires here: all of it is rolled back. */
    private void tryOut(List<Call<?>> calls, ClaimTable table, String what) {
        try {
            database.tryOut(calls, TIMEOUT);
        } catch (SqlFailure e) {
            if (e.isMistake() && context.errors().isAboutOurTables(e)) {
                throw context.errors().explain(e);
            }
            if (e.isMistake()) {
                throw new DatabaseFailureException(
                        "claims on " + table.table() + ": the database refuses " + what + ": "
                                + Secrets.masked(e.getCause())
                                + ". If it is a view, claim the rows of its table: of views, only those with a key of"
                                + " one column can be claimed, where the database can change them",
                        e.getCause());
            }
            context.errors().log("The claims on " + table.table() + " could not be checked", e);
        }
    }

    private void open(ClaimStore<?> store, ClaimTable table) {
        if (store instanceof SideClaims<?> side) {
            purge(side);
        } else if (store instanceof RangeClaims<?> ranges) {
            open(ranges, table);
        }
    }

    private void purge(SideClaims<?> side) {
        try {
            database.run(side.purge(), TIMEOUT, Retry::rest);
        } catch (SqlFailure e) {
            context.errors().log("Old claims could not be purged", e);
        }
    }

    private void open(RangeClaims<?> ranges, ClaimTable table) {
        try {
            if (!database.run(Steps.of(ranges.keyAtStart()), TIMEOUT, Retry::rest)
                    .isEmpty()) {
                throw new DatabaseFailureException(
                        table.table() + " has a row with the key " + Long.MIN_VALUE + ", which no range can have: give"
                                + " it another key, or keep the claims in a column with token(..)",
                        null);
            }
            database.transact(List.of(ranges.opening()), TIMEOUT);
        } catch (SqlFailure e) {
            if (e.outcome() != SqlFailure.Outcome.DUPLICATE) {
                throw context.errors().explain(e);
            }
        }
    }

    private static String scope(String table) {
        String scope = SqlName.scope(table);
        if (scope.length() > SCOPE_LENGTH) {
            throw new IllegalArgumentException(
                    "the table's name " + table + " has more than " + SCOPE_LENGTH + " characters");
        }
        return scope;
    }

    private static void requireEnough(ClaimOptions options) {
        if (options.keys().isEmpty()) {
            throw new IllegalArgumentException(
                    "the claims on " + options.table() + " need a key: name its columns with key(..)");
        }
        int places = (options.side() ? 1 : 0) + (options.token() != null ? 1 : 0) + (options.ranges() != null ? 1 : 0);
        if (places != 1) {
            throw new IllegalArgumentException("the claims on " + options.table()
                    + " need one place to be kept in: name a column with token(..), or use sideTable() or ranges(..)");
        }
        if (options.ranges() != null
                && (!options.orderBy().isEmpty() || options.effect().kind() != CompletionEffect.Kind.NONE)) {
            throw new IllegalArgumentException("the claims on " + options.table()
                    + " are ranges: their order is that of the key, and completing them does nothing to the rows");
        }
        if (options.until() != null && options.token() == null) {
            throw new IllegalArgumentException("until(..) goes with token(..)");
        }
    }

    /** Whether the completion sets a column of the key, which decides how it answers. */
    private CompletionEffect effect(ClaimOptions options) {
        Set<String> set = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        set.addAll(ClaimSql.assigned(options.effect().assignments()));
        List<String> moved = options.keys().stream()
                .filter(key -> set.contains(SqlName.bare(key)))
                .toList();
        if (moved.isEmpty()) {
            return options.effect();
        }
        if (options.token() != null && database.statements().features().returnsNewKeys()) {
            throw new DatabaseFailureException(
                    "claims on " + options.table() + ": completeSet(..) sets " + moved
                            + " of the key, and this database"
                            + " returns only new keys: leave that column out of the key(..), or use sideTable()",
                    null);
        }
        return options.effect().settingKey();
    }

    private List<ColumnInfo> columns(String table) {
        Statements about = database.statements().only("columns_of_table", Map.of("table", table));
        try {
            return database.columns(about, "columns_of_table", TIMEOUT);
        } catch (SqlFailure e) {
            throw new DatabaseFailureException(
                    "the table " + table + " cannot be read: " + Secrets.masked(e.getCause())
                            + ". Check that it exists and that you may read it, and quote its name if it is a reserved word",
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
                .orElseThrow(() -> new DatabaseFailureException(
                        "the table " + table + " has no column " + name + "; it has "
                                + columns.stream().map(ColumnInfo::name).toList(),
                        null));
    }

    /** The claim table and the ranges name a row by a text. */
    private static void requireOneText(ClaimTable table) {
        for (int i = 0; i < table.kinds().size(); i++) {
            if (!WRITTEN_BY_ALL_ALIKE.contains(table.kinds().get(i))) {
                ColumnInfo column = table.keyColumns().get(i);
                throw new DatabaseFailureException(
                        "the column " + column.name() + " is of the type " + column.type()
                                + ", which cannot be a key with sideTable(): use a number, a text, a UUID or bytes, or keep the"
                                + " claims in a column of the table with token(..)",
                        null);
            }
        }
    }

    /** The bounds of a range are signed, of 64 bits. */
    private static void requireRangeKey(ClaimTable table) {
        if (!table.isNumbered()
                || !SIGNED.matcher(table.keyColumns().get(0).type()).matches()) {
            throw new DatabaseFailureException(
                    "ranges need a key of one column that is a whole number of at most 64 bits with a sign; "
                            + table.table() + " has " + table.keyColumns(),
                    null);
        }
    }

    private void requireToken(String table, ColumnInfo column) {
        boolean loose = database.statements().features().looseTypes();
        boolean text =
                loose ? isOf(column, KeyKind.TEXT) || isOf(column, KeyKind.BINARY) : TEXTS.contains(column.jdbcType());
        if (!text || (!loose && column.size() > 0 && column.size() < TOKEN_LENGTH)) {
            throw new DatabaseFailureException(
                    "the column " + column.name() + " of " + table + " is of the type "
                            + column.type().toLowerCase(Locale.ROOT)
                            + (column.size() > 0 ? "(" + column.size() + ")" : "")
                            + "; a token needs a text of at least " + TOKEN_LENGTH + " characters",
                    null);
        }
    }

    /** The time has 13 digits, and that of a dead row in the claim table 16. */
    private String requireTime(ColumnInfo column) {
        boolean loose = database.statements().features().looseTypes();
        boolean decimal = column.jdbcType() == Types.NUMERIC || column.jdbcType() == Types.DECIMAL;
        boolean holds = column.jdbcType() == Types.BIGINT
                || (loose && (decimal || isOf(column, KeyKind.WHOLE)))
                || (decimal && (column.size() == 0 || column.size() - column.scale() >= TIME_DIGITS));
        if (!holds) {
            throw new DatabaseFailureException(
                    "the column " + column.name() + " is of the type " + column.type()
                            + "; the end of a claim needs a BIGINT (on SQLite INTEGER) or a DECIMAL of 16 digits, for milliseconds since 1970 UTC",
                    null);
        }
        return column.name();
    }

    private boolean isOf(ColumnInfo column, KeyKind kind) {
        try {
            return database.statements().keyTypes().kindOf(column) == kind;
        } catch (IllegalArgumentException e) {
            // It cannot be a key.
            return false;
        }
    }
}
