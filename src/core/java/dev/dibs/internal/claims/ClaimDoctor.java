package dev.dibs.internal.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.internal.schema.Checks;
import dev.dibs.internal.schema.Doctor;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Features.IndexFilter;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.IndexInfo;
import dev.dibs.internal.sql.run.Params;
import dev.dibs.internal.sql.run.TableInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the user's table has the key that claims need, and an index for them, as far as the catalog shows it. The command, which
 * reads the user's condition and order too, names the index.
 *
 * @param table as it stands in a statement
 * @param keys the key's columns; these and the others as the database has them
 * @param token null if the claims are kept in a table of ours
 * @param until null if claims do not end by time, or are kept in a table of ours
 * @param turns the columns of which each value takes its turn; none if all rows are equal
 * @param everyRow whether no row is ever finished, so that each one is open until it is deleted
 */
record ClaimDoctor(
        Database database,
        String table,
        List<String> keys,
        @Nullable String token,
        @Nullable String until,
        List<String> turns,
        boolean everyRow) {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

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
        }
        return findings;
    }

    /** Logs one warning about all that is missing. If the check fails, claims are built all the same. */
    void warnAtStart() {
        try {
            Optional<TableInfo> found = database.table(table, TIMEOUT);
            if (!turns.isEmpty() && !database.statements().features().claimsInTurnAtOnce()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "claims on " + table + ": on this database a claim by key takes a statement for each "
                                + String.join(", ", turns)
                                + " that has many open rows -> claim few rows at a time, and leave few of them waiting or dead");
            }
            String missing = found.map(this::aboutCatalog).orElse(List.of()).stream()
                    .filter(finding -> finding.level().compareTo(Level.WARNING) >= 0)
                    .map(finding -> finding.message() + " -> " + finding.remedy())
                    .collect(Collectors.joining("; "));
            if (!missing.isEmpty()) {
                LOG.log(System.Logger.Level.WARNING, "claims on " + table + ": " + missing);
            }
        } catch (SqlFailure e) {
            LOG.log(System.Logger.Level.DEBUG, "The indexes of " + table + " could not be checked", e);
        }
    }

    /**
     * Refuses a key that nothing makes unique.
     *
     * @throws DatabaseFailureException if the catalog shows no such table, or no primary key and no unique index for the key
     */
    void requireUniqueKey() {
        try {
            Optional<TableInfo> found = database.table(table, TIMEOUT);
            if (found.isPresent() && isUnique(found.get())) {
                return;
            }
            String key = String.join(", ", keys);
            throw new DatabaseFailureException("claims on " + table + ": nothing that the catalog shows makes " + key
                    + " unique, and rows that share a key are claimed and completed as one. Make a primary key or a"
                    + " unique index of just " + key
                    + ", or say with uniqueKey() that it is unique anyway, as for a view");
        } catch (SqlFailure e) {
            LOG.log(System.Logger.Level.DEBUG, "The keys of " + table + " could not be checked", e);
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
        return covered(found.primaryKey())
                || found.indexes().stream()
                        .anyMatch(index -> index.unique() && index.filter() == null && covered(index.columnNames()));
    }

    /** A unique subset of the key's columns makes the key unique. */
    private boolean covered(List<String> columns) {
        return !columns.isEmpty() && keys.containsAll(columns);
    }

    private Finding aboutIndex(TableInfo found) {
        if (!turns.isEmpty()) {
            return aboutTurns(found);
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

    private Finding aboutTurns(TableInfo found) {
        String columns = String.join(", ", turns);
        boolean mustLead = database.statements().features().indexFilter() == IndexFilter.FIXED;
        return found.indexes().stream().anyMatch(index -> {
                    int at = Collections.indexOfSubList(index.columnNames(), turns);
                    return at == 0
                            || (at > 0
                                    && !mustLead
                                    && !index.columnNames().subList(0, at).containsAll(keys));
                })
                ? Checks.ok("claims index", "an index may lead from one " + columns + " to the next")
                : Checks.warning(
                        "claims index",
                        "no index leads from one " + columns + " to the next: each claim reads the whole table",
                        "'dibs doctor --claims " + table + " --per-key " + String.join(",", turns)
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
