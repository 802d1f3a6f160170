package dev.dibs.internal.claims.advice;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.IndexInfo;
import dev.dibs.internal.sql.run.Params;
import dev.dibs.internal.sql.run.TableInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Looks whether the table of the user's has the key and the index that claims need. */
public final class ClaimDoctor {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /**
     * What is known of the table.
     *
     * @param table as it stands in a statement
     * @param keys the key's columns; these and the others as the database has them
     * @param token null if the claims are kept in a table of ours
     * @param tokenName the same as it stands in a statement
     * @param until null if claims do not end by time, or are kept in a table of ours
     * @param where empty for all rows
     */
    public record Subject(
            String table,
            ClaimColumns columns,
            List<String> keys,
            @Nullable String token,
            String tokenName,
            @Nullable String until,
            String where,
            String order) {

        /** A claim that stands until released has to find rows that have none. */
        boolean isMarkedOnly() {
            return token != null && until == null;
        }
    }

    private final Database database;
    private final Subject subject;
    private final ClaimCondition condition;
    private final Optional<ClaimIndex> wanted;

    /** For one table. */
    public ClaimDoctor(Database database, Subject subject) {
        this.database = database;
        this.subject = subject;
        boolean everyRow = subject.where().isEmpty() && subject.isMarkedOnly();
        this.condition =
                ClaimCondition.of(everyRow ? subject.tokenName() + " IS NULL" : subject.where(), subject.columns());
        this.wanted = condition.isOpaque()
                ? Optional.empty()
                : ClaimOrder.of(subject.order(), subject.columns()).map(this::index);
    }

    private ClaimIndex index(ClaimOrder order) {
        Set<String> mayFilter = new HashSet<>(condition.columns().keySet());
        if (subject.isMarkedOnly()) {
            mayFilter.add(String.valueOf(subject.token()));
        }
        return new ClaimIndex(database.statements(), subject.columns(), condition, order, mayFilter);
    }

    /** All that can be said. */
    public List<Finding> examine() throws SqlFailure {
        List<Finding> findings = new ArrayList<>();
        List<String> used = new ArrayList<>(subject.keys());
        Optional.ofNullable(subject.token()).ifPresent(used::add);
        Optional.ofNullable(subject.until()).ifPresent(used::add);
        findings.add(ok("claims table", subject.table() + " is there, with " + String.join(", ", used)));
        Optional<TableInfo> table = table();
        if (table.isEmpty()) {
            findings.add(new Finding(
                    Level.NOTE,
                    "claims index",
                    "the catalog has no table " + subject.table()
                            + ", so that its indexes cannot be seen; is it a view?",
                    ""));
            return findings;
        }
        findings.addAll(aboutKey(table.get()));
        findings.add(aboutIndex(table.get()));
        aboutToken(table.get()).ifPresent(findings::add);
        if (subject.token() != null) {
            findings.addAll(aboutStorage(subject.token()));
        }
        return findings;
    }

    /** One warning about all that is missing; a look that fails is no reason not to go on. */
    public void warnAtStart() {
        try {
            Optional<TableInfo> table = table();
            if (table.isEmpty()) {
                return;
            }
            List<Finding> findings = new ArrayList<>(aboutNulls(table.get()));
            findings.add(aboutIndex(table.get()));
            aboutToken(table.get()).ifPresent(findings::add);
            String missing = findings.stream()
                    .filter(finding -> finding.level().compareTo(Level.WARNING) >= 0)
                    .map(finding -> finding.message() + " -> " + finding.remedy())
                    .collect(Collectors.joining("; "));
            if (!missing.isEmpty()) {
                LOG.log(System.Logger.Level.WARNING, "claims on " + subject.table() + ": " + missing);
            }
        } catch (SqlFailure e) {
            LOG.log(System.Logger.Level.DEBUG, "The indexes of " + subject.table() + " could not be checked", e);
        }
    }

    /**
     * Refuses a key that nothing makes unique.
     *
     * @throws DatabaseFailureException if the catalog shows no such table, or no primary key and no unique index for the key
     */
    public void requireUniqueKey() {
        try {
            Optional<TableInfo> table = table();
            if (table.isPresent() && isUnique(table.get())) {
                return;
            }
            String key = String.join(", ", subject.keys());
            throw new DatabaseFailureException(
                    "claims on " + subject.table() + ": nothing that the catalog shows makes " + key
                            + " unique, and rows that share a key are claimed and completed as one. Make a primary key or a"
                            + " unique index of just " + key
                            + ", or say with uniqueKey() that it is unique anyway, as for a view",
                    null);
        } catch (SqlFailure e) {
            LOG.log(System.Logger.Level.DEBUG, "The keys of " + subject.table() + " could not be checked", e);
        }
    }

    private Optional<TableInfo> table() throws SqlFailure {
        Optional<TableInfo> table = database.table(SqlName.inCatalog(subject.table()), TIMEOUT);
        if (table.isEmpty()) {
            return table;
        }
        Map<String, String> filters = new HashMap<>();
        database.call("find_index_filters", Params.of("table", subject.table()), TIMEOUT, ClaimDoctor::filter)
                .rows()
                .forEach(filter -> filters.put(filter.getKey(), filter.getValue()));
        return table.map(found -> new TableInfo(
                found.nullable(),
                found.primaryKey(),
                found.indexes().stream()
                        .map(index -> index.filteredBy(filters.get(index.name())))
                        .toList()));
    }

    private static Map.Entry<String, String> filter(ResultSet row) throws SQLException {
        return Map.entry(row.getString("index_name"), row.getString("filter"));
    }

    private List<Finding> aboutKey(TableInfo table) {
        String key = String.join(", ", subject.keys());
        List<Finding> findings = new ArrayList<>();
        findings.add(
                isUnique(table)
                        ? ok("claims key", key + " is unique")
                        : new Finding(
                                Level.WARNING,
                                "claims key",
                                "nothing makes " + key + " unique: rows that share it are claimed and completed as one,"
                                        + " and a claim may have more than was asked for",
                                "Make a primary key or a unique index of just " + key));
        findings.addAll(aboutNulls(table));
        return findings;
    }

    private List<Finding> aboutNulls(TableInfo table) {
        List<String> nullable = subject.keys().stream()
                .filter(column ->
                        table.nullable().contains(column) && !table.primaryKey().contains(column))
                .toList();
        return nullable.isEmpty()
                ? List.of()
                : List.of(new Finding(
                        Level.WARNING,
                        "claims key",
                        String.join(", ", nullable) + " may be NULL: a row where it is cannot be claimed",
                        "Make it NOT NULL"));
    }

    private boolean isUnique(TableInfo table) {
        return covered(table.primaryKey())
                || table.indexes().stream()
                        .anyMatch(index -> index.unique() && index.filter() == null && covered(index.columnNames()));
    }

    /** What is unique without all of the key's columns is so with them. */
    private boolean covered(List<String> columns) {
        return !columns.isEmpty() && subject.keys().containsAll(columns);
    }

    private Finding aboutIndex(TableInfo table) {
        if (wanted.isEmpty()) {
            return new Finding(
                    Level.NOTE,
                    "claims index",
                    "cannot tell which index claims need: the order is no list of columns, or the condition looks at other"
                            + " tables",
                    "Look at the plan of the claim statement");
        }
        ClaimIndex index = wanted.get();
        Optional<IndexInfo> fitting = table.indexes().stream()
                .map(there -> withImplied(there, table.primaryKey()))
                .filter(index::fits)
                .findFirst();
        return fitting.map(there -> ok("claims index", there.name() + " leads to the open rows, in order"))
                .orElseGet(() -> new Finding(
                        Level.WARNING,
                        "claims index",
                        "none leads to the open rows in order: the more rows there are, the longer a claim takes",
                        index.ddl(subject.table(), names(table))));
    }

    /** Some databases end every index with the primary key. */
    private IndexInfo withImplied(IndexInfo index, List<String> primaryKey) {
        if (!database.statements().features().indexesEndWithPrimaryKey()) {
            return index;
        }
        List<IndexInfo.Column> columns = new ArrayList<>(index.columns());
        primaryKey.stream()
                .filter(column -> !index.columnNames().contains(column))
                .forEach(column -> columns.add(new IndexInfo.Column(column, false)));
        return new IndexInfo(index.name(), index.unique(), columns, index.filter());
    }

    private static Set<String> names(TableInfo table) {
        return table.indexes().stream().map(IndexInfo::name).collect(Collectors.toSet());
    }

    private Optional<Finding> aboutToken(TableInfo table) {
        String token = subject.token();
        if (token == null) {
            return Optional.empty();
        }
        boolean there =
                table.indexes().stream().anyMatch(index -> index.columnNames().indexOf(token) == 0);
        if (there) {
            return Optional.of(ok("claims token", "an index leads from " + token + " to its rows"));
        }
        String ddl = ClaimIndex.tokenDdl(
                database.statements(),
                subject.table(),
                subject.tokenName(),
                subject.columns().quote(),
                names(table));
        if (database.statements().features().claimsReadByToken()) {
            return Optional.of(new Finding(
                    Level.WARNING,
                    "claims token",
                    "no index begins with " + token
                            + ": each claim reads the whole table for the rows that it has marked",
                    ddl));
        }
        return Optional.of(new Finding(
                Level.NOTE,
                "claims token",
                "no index begins with " + token
                        + ": claim(token, n), find(token) and release(token) read the whole table",
                "If you call them often: " + ddl));
    }

    private List<Finding> aboutStorage(String token) throws SqlFailure {
        Params params = Params.of("table", subject.table())
                .with("token", token)
                .with("until", subject.until() == null ? token : subject.until());
        return database.call("check_claimed_table", params, TIMEOUT, ClaimDoctor::finding)
                .rows();
    }

    private static Finding finding(ResultSet row) throws SQLException {
        return new Finding(
                Level.valueOf(row.getString("level").strip().toUpperCase(Locale.ROOT)),
                row.getString("subject"),
                row.getString("message"),
                row.getString("remedy"));
    }

    private static Finding ok(String subject, String message) {
        return new Finding(Level.OK, subject, message, "");
    }
}
