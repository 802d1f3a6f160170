package dev.dibs.internal.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.internal.schema.Checks;
import dev.dibs.internal.schema.Doctor;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.catalog.IndexInfo;
import dev.dibs.internal.sql.catalog.TableInfo;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Features.IndexFilter;
import dev.dibs.internal.sql.files.SqlName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the user's table has the key that claims need, and an index for them, as far as the catalog shows it. The command, which
 * reads the user's condition and order too, names the index.
 *
 * @param table as it stands in a statement
 * @param keys the key's columns; these and the others as the database has them
 * @param token null if the claims are kept in a table of ours
 * @param until null if claims do not end by time, or are kept in a table of ours
 * @param perKey the columns of which each value has a limit; none if all rows are equal
 * @param everyRow whether no row is ever finished, so that each one is open until it is deleted
 */
record ClaimDoctor(
        Database database,
        String table,
        List<String> keys,
        @Nullable String token,
        @Nullable String until,
        List<String> perKey,
        boolean everyRow) {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String SOME_TOKEN = "'0123456789abcdef0123456789abcdef'";

    List<Finding> examine() {
        Checks checks = new Checks(database.errors());
        checks.add("claims table", this::aboutColumns);
        checks.addAll("claims index", this::aboutTable);
        checks.addAll("claims row-level security", this::aboutRowSecurity);
        if (token != null) {
            checks.addAll("claims storage", () -> aboutStorage(token));
        }
        return checks.findings();
    }

    private Finding aboutColumns() {
        List<String> used = new ArrayList<>(keys);
        Optional.ofNullable(token).ifPresent(used::add);
        Optional.ofNullable(until).ifPresent(used::add);
        return Checks.ok("claims table", table + " is there, with " + String.join(", ", used));
    }

    private List<Finding> aboutTable() throws SqlFailure {
        Optional<TableInfo> found = database.table(table, TIMEOUT);
        if (found.isEmpty()) {
            return List.of(Checks.note(
                    "claims index",
                    "the catalog has no table " + table + ", so that its indexes cannot be seen; is it a view?",
                    ""));
        }
        List<Finding> findings = new ArrayList<>(List.of(aboutKey(found.get())));
        findings.addAll(aboutCatalog(found.get()));
        return findings;
    }

    private List<Finding> aboutCatalog(TableInfo found) {
        List<Finding> findings = new ArrayList<>(aboutNulls(found));
        findings.add(aboutIndex(found));
        if (token != null) {
            findings.add(aboutToken(token, found));
            findings.addAll(aboutConstraints(token, found));
        }
        return findings;
    }

    /**
     * Looks at the catalog once. Refuses a key that nothing makes unique, a constraint under which no claim works, and a table without
     * transactions; logs one warning about all that is missing. If the catalog cannot be read, claims are built all the same.
     *
     * @param needsUnique whether the user has not said that the key is unique
     * @param warns whether an index and the like can be missing
     * @throws DatabaseFailureException if the catalog shows no such table, no primary key and no unique index for the key, or such a constraint; or it has no transactions
     */
    void checkAtStart(boolean needsUnique, boolean warns) {
        try {
            Optional<TableInfo> found = database.table(table, TIMEOUT);
            if (needsUnique) {
                requireUniqueKey(found);
            }
            List<Finding> findings = found.map(this::aboutCatalog).orElse(List.of());
            refuse(findings);
            if (warns) {
                warn(findings);
            }
            if (token != null && database.statements().features().tablesWithoutTransactions()) {
                refuse(aboutStorage(token));
            }
        } catch (SqlFailure e) {
            LOG.log(System.Logger.Level.DEBUG, "The catalog of " + table + " could not be read", e);
        }
    }

    private void refuse(List<Finding> findings) {
        findings.stream().filter(finding -> finding.level() == Level.ERROR).forEach(finding -> {
            throw new DatabaseFailureException(
                    "claims on " + table + ": " + finding.message() + ". " + finding.remedy());
        });
    }

    private void warn(List<Finding> findings) {
        if (!perKey.isEmpty() && !database.statements().features().claimsPerKeyAtOnce()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "claims on " + table + ": on this database a claim per key takes a statement for each "
                            + String.join(", ", perKey)
                            + " that has many open rows -> use small batches; keep few rows waiting or dead");
        }
        String missing = findings.stream()
                .filter(finding -> finding.level() == Level.WARNING)
                .map(finding -> finding.message() + " -> " + finding.remedy())
                .collect(Collectors.joining("; "));
        if (!missing.isEmpty()) {
            LOG.log(System.Logger.Level.WARNING, "claims on " + table + ": " + missing);
        }
    }

    private void requireUniqueKey(Optional<TableInfo> found) {
        if (found.filter(this::isUnique).isEmpty()) {
            String key = String.join(", ", keys);
            throw new DatabaseFailureException("claims on " + table + ": nothing that the catalog shows makes " + key
                    + " unique, and rows that share a key are claimed and completed as one. Make a primary key or a"
                    + " unique index of just " + key
                    + ", or say with uniqueKey() that it is unique anyway, as for a view");
        }
    }

    /** Constraints that refuse what a claim writes into its columns. */
    private List<Finding> aboutConstraints(String token, TableInfo found) {
        List<String> own = until == null ? List.of(token) : List.of(token, until);
        List<Finding> findings = new ArrayList<>();
        found.indexes().stream()
                .filter(index -> index.unique() && !Collections.disjoint(index.columnNames(), own))
                .filter(index -> uniqueKeys(found).noneMatch(index.columnNames()::containsAll))
                .forEach(index -> findings.add(refusing("the unique index " + index.name())));
        found.rules().forEach((name, rule) -> {
            if (own.stream().anyMatch(rule::contains) && refuses(rule, token)) {
                findings.add(refusing("the constraint " + name + ", " + rule + ","));
            }
        });
        return findings;
    }

    private static Finding refusing(String constraint) {
        return new Finding(
                Level.ERROR,
                "claims constraint",
                constraint
                        + " refuses what a claim writes: a random text of 32 characters, the same in each of its rows,"
                        + " and NULL when it ends",
                "Drop it, or leave the columns of the claim out of it");
    }

    /** Has the database evaluate the rule. One that needs other columns, too, refuses nothing. */
    private boolean refuses(String rule, String token) {
        String quote = database.statements().fragment("quote");
        String mark = SqlName.quoted(token, quote);
        Map<String, String> texts = new HashMap<>(Map.of("table", table, "rule", rule));
        texts.put("columns", until == null ? mark : mark + ", " + SqlName.quoted(until, quote));
        texts.put("free", until == null ? "NULL" : "NULL, NULL");
        texts.put("claimed", until == null ? SOME_TOKEN : SOME_TOKEN + ", " + System.currentTimeMillis());
        try {
            Call<Boolean> call =
                    Call.of(database.statements().only("check_rule", texts), "check_rule", Params.none(), row -> true);
            database.transact(List.of(call), TIMEOUT);
            return call.hit();
        } catch (SqlFailure | IllegalArgumentException e) {
            LOG.log(System.Logger.Level.DEBUG, "The constraint " + rule + " could not be tried", e);
            return false;
        }
    }

    private Finding aboutKey(TableInfo found) {
        String key = String.join(", ", keys);
        return isUnique(found)
                ? Checks.ok("claims key", key + " is unique")
                : Checks.warning(
                        "claims key",
                        "nothing makes " + key + " unique: rows that share it are claimed and completed as one,"
                                + " and a claim may have more than was asked for",
                        "Make a primary key or a unique index of just " + key);
    }

    private List<Finding> aboutNulls(TableInfo found) {
        List<String> nullable = keys.stream()
                .filter(column ->
                        found.nullable().contains(column) && !found.primaryKey().contains(column))
                .toList();
        return nullable.isEmpty()
                ? List.of()
                : List.of(Checks.warning(
                        "claims key",
                        String.join(", ", nullable) + " may be NULL: claims skip rows where it is NULL",
                        "Make it NOT NULL"));
    }

    private boolean isUnique(TableInfo found) {
        return uniqueKeys(found).findAny().isPresent();
    }

    /** What makes the key unique: a unique subset of its columns does. */
    private Stream<List<String>> uniqueKeys(TableInfo found) {
        Stream<List<String>> unique = found.indexes().stream()
                .filter(index -> index.unique() && index.filter() == null)
                .map(IndexInfo::columnNames);
        return Stream.concat(Stream.of(found.primaryKey()), unique)
                .filter(columns -> !columns.isEmpty() && keys.containsAll(columns));
    }

    private Finding aboutIndex(TableInfo found) {
        if (!perKey.isEmpty()) {
            return aboutPerKey(found);
        }
        boolean keyIsEnough = everyRow && (token == null || until != null);
        return keyIsEnough || found.indexes().stream().anyMatch(this::mayLeadToOpenRows)
                ? Checks.ok("claims index", "an index may lead to the open rows")
                : Checks.warning(
                        "claims index",
                        "no index besides the key's leads to the open rows: the more rows are finished, the longer a claim"
                                + " takes",
                        "'dibs doctor --claims " + table + " ..' names the index to create");
    }

    private Finding aboutPerKey(TableInfo found) {
        String columns = String.join(", ", perKey);
        boolean mustLead = database.statements().features().indexFilter() == IndexFilter.FIXED;
        return found.indexes().stream().anyMatch(index -> {
                    int at = Collections.indexOfSubList(index.columnNames(), perKey);
                    return at == 0
                            || (at > 0
                                    && !mustLead
                                    && !index.columnNames().subList(0, at).containsAll(keys));
                })
                ? Checks.ok("claims index", "an index may lead from one " + columns + " to the next")
                : Checks.warning(
                        "claims index",
                        "no index leads from one " + columns + " to the next: each claim reads the whole table",
                        "'dibs doctor --claims " + table + " --per-key " + String.join(",", perKey)
                                + " ..' names the index to create");
    }

    /** An index of the token alone leads to the rows that have none, which may be finished. */
    private boolean mayLeadToOpenRows(IndexInfo index) {
        List<String> columns = index.columnNames();
        return columns.equals(List.of(String.valueOf(token)))
                ? everyRow && index.filter() == null
                : index.filter() != null || !keys.containsAll(columns);
    }

    private Finding aboutToken(String column, TableInfo found) {
        if (found.indexes().stream().anyMatch(index -> index.columnNames().indexOf(column) == 0)) {
            return Checks.ok("claims token", "an index leads from " + column + " to its rows");
        }
        String none = "no index begins with " + column + ": ";
        String remedy = "Create an index of " + column;
        return database.statements().features().claimsReadByToken()
                ? Checks.warning(
                        "claims token",
                        none + "each claim reads the whole table for the rows that it has marked",
                        remedy)
                : Checks.note(
                        "claims token",
                        none + "claim(token, n), find(token) and release(token) read the whole table",
                        remedy + " if you call them often");
    }

    private List<Finding> aboutRowSecurity() throws SqlFailure {
        return database.call("check_row_security", Params.of("table", table), TIMEOUT, Doctor::finding)
                .rows();
    }

    private List<Finding> aboutStorage(String column) throws SqlFailure {
        Params params = Params.of("table", table).with("token", column).with("until", until == null ? column : until);
        return database.call("check_claimed_table", params, TIMEOUT, Doctor::finding)
                .rows();
    }
}
