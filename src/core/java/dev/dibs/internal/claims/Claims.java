package dev.dibs.internal.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowMapper;
import dev.dibs.internal.claims.store.ClaimReader;
import dev.dibs.internal.claims.store.ClaimSql;
import dev.dibs.internal.claims.store.ClaimStore;
import dev.dibs.internal.claims.store.ClaimTable;
import dev.dibs.internal.claims.store.CompletionEffect;
import dev.dibs.internal.claims.store.KeyGroups;
import dev.dibs.internal.claims.store.Opening;
import dev.dibs.internal.claims.store.PerKeyClaims;
import dev.dibs.internal.claims.store.RangeClaims;
import dev.dibs.internal.claims.store.RowClaimer;
import dev.dibs.internal.claims.store.SideClaims;
import dev.dibs.internal.claims.store.TableClaims;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.schema.CapabilityPart;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.time.Deadline;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The claims of one Dibs. Looks at the table before it makes claims. Get it by {@code Dibs.claims(..)}. Safe for use by any thread. */
public final class Claims implements CapabilityPart {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int SCOPE_LENGTH = 200;

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
        return new ClaimsSpec(this, new ClaimOptions(Arguments.required("table", table), lease));
    }

    /** Releases all claims and ends the threads. */
    @Override
    public void close(Duration patience) {
        keeper.close(Deadline.in(patience.dividedBy(10)));
    }

    <T> DatabaseClaims<T> build(ClaimOptions asked, @Nullable RowMapper<T> mapper) {
        requireEnough(asked);
        ClaimOptions options = asked.with(changed -> changed.effect = effect(asked));
        Statements statements = database.statements();
        String quote = statements.fragment("quote");
        String table = SqlName.table(options.table, quote);
        ClaimColumns columns = new ClaimColumns(table, columns(table), statements);
        List<String> keyNames = new ArrayList<>();
        List<ColumnInfo> keys = new ArrayList<>();
        for (String key : options.keys) {
            keyNames.add(SqlName.column(key, quote));
            keys.add(columns.find(key));
        }
        Map<String, String> texts = options.texts(keyNames, quote);
        texts.computeIfPresent("where", (name, where) -> withoutNull(keyNames, keys) + where);
        ClaimTable described = describe(table, keyNames, keys, texts);
        ClaimReader<T> reader = new ClaimReader<>(described, mapper);
        ClaimStore<T> store = store(options, statements, columns, reader);
        RowClaimer<T> claimer = claimer(options, store, columns, described);
        check(options, described);
        ClaimDoctor doctor = doctor(options, described, columns);
        doctor.checkAtStart(!options.unique, options.ranges == null);
        // Each statement is sent once as it will be, but with a condition that no row meets.
        ClaimReader<T> nothing = new ClaimReader<>(described.withoutRows(), mapper);
        ClaimStore<T> tried = store(options.forTrial(), statements, columns, nothing);
        List<Call<?>> trial = claimer(options, tried, columns, nothing.table()).trial();
        trial.add(nothing.table().stillOpen(statements, List.of()));
        tryOut(trial, described, "one of their statements, in which the row is t");
        claimer.open(new Opening(database, context.errors()));
        ClaimEngine<T> engine = new ClaimEngine<>(context, store, claimer, described, keeper, options.lease);
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

    private ClaimDoctor doctor(ClaimOptions options, ClaimTable table, ClaimColumns columns) {
        return new ClaimDoctor(
                database,
                table.table(),
                table.keyColumns().stream().map(ColumnInfo::name).toList(),
                options.token == null ? null : columns.find(options.token).name(),
                options.until == null ? null : columns.find(options.until).name(),
                options.perKey == null
                        ? List.of()
                        : columns.findAll(options.perKey.columns()).stream()
                                .map(ColumnInfo::name)
                                .toList(),
                options.where.isEmpty() || options.ranges != null);
    }

    private <T> RowClaimer<T> claimer(
            ClaimOptions options, ClaimStore<T> store, ClaimColumns columns, ClaimTable table) {
        ClaimOptions.PerKey perKey = options.perKey;
        if (perKey == null) {
            return store;
        }
        Statements statements = database.statements();
        String quote = statements.fragment("quote");
        List<String> names = perKey.columns().stream()
                .map(name -> SqlName.column(name, quote))
                .toList();
        ClaimTable described = describe(table.table(), names, columns.findAll(perKey.columns()), Map.of());
        KeyGroups groups = new KeyGroups(described, perKey.most(), perKey.skipsDead());
        long lease = options.lease.toMillis();
        return PerKeyClaims.over(store, table, groups, statements, () -> Term.from(context.clock(), lease));
    }

    private <T> ClaimStore<T> store(
            ClaimOptions options, Statements statements, ClaimColumns columns, ClaimReader<T> reader) {
        ClaimTable table = reader.table();
        long lease = options.lease.toMillis();
        if (options.side) {
            ClaimColumns.requireOneText(table);
            return new SideClaims<>(statements, reader, scope(options.table), lease, options.effect);
        }
        if (options.ranges != null) {
            ClaimColumns.requireRangeKey(table);
            return new RangeClaims<>(statements, reader, options.ranges, lease);
        }
        columns.requireToken(options.token);
        String until = options.until == null ? null : columns.requireTime(options.until);
        return new TableClaims<>(statements, reader, until, lease, options.effect, context.clock()::nanos);
    }

    /** The user's SQL is prepared here, so that an error is reported at once and not by the first claim. */
    private void check(ClaimOptions options, ClaimTable table) {
        check(table, "check_condition", "where(" + options.where + ") or orderBy(" + options.orderBy + ")");
        if (options.token != null) {
            check(table, "check_mark", "marking rows in " + options.token);
        }
        switch (options.effect.kind()) {
            case SET, SET_KEY -> check(table, "check_effect", "completeSet(" + options.effect.assignments() + ")");
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
            if (e.getCause() instanceof DatabaseFailureException refusal) {
                throw refusal;
            }
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

    private static String scope(String table) {
        String scope = SqlName.scope(table);
        if (scope.length() > SCOPE_LENGTH) {
            throw new IllegalArgumentException(
                    "the table's name " + table + " has more than " + SCOPE_LENGTH + " characters");
        }
        return scope;
    }

    private static void requireEnough(ClaimOptions options) {
        if (options.keys.isEmpty()) {
            throw new IllegalArgumentException(
                    "the claims on " + options.table + " need a key: name its columns with key(..)");
        }
        int places = (options.side ? 1 : 0) + (options.token != null ? 1 : 0) + (options.ranges != null ? 1 : 0);
        if (places != 1) {
            throw new IllegalArgumentException("the claims on " + options.table
                    + " need one store: choose token(column), sideTable() or ranges(name)");
        }
        if (options.ranges != null
                && (!options.orderBy.isEmpty() || options.effect.kind() != CompletionEffect.Kind.NONE)) {
            throw new IllegalArgumentException("the claims on " + options.table
                    + " are ranges: their order is that of the key, and completing them does nothing to the rows");
        }
        if (options.until != null && options.token == null) {
            throw new IllegalArgumentException("until(..) goes with token(..)");
        }
    }

    /** Whether the completion sets a column of the key, which decides how it answers. */
    private CompletionEffect effect(ClaimOptions options) {
        Set<String> set = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        set.addAll(ClaimSql.assigned(options.effect.assignments()));
        List<String> moved = options.keys.stream()
                .filter(key -> set.contains(SqlName.bare(key)))
                .toList();
        if (moved.isEmpty()) {
            return options.effect;
        }
        if (options.token != null && database.statements().features().returnsNewKeys()) {
            throw new DatabaseFailureException("claims on " + options.table + ": completeSet(..) sets " + moved
                    + " of the key, and this database"
                    + " returns only new keys: leave that column out of the key(..), or use sideTable()");
        }
        return options.effect.settingKey();
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
}
