package dev.dibs.core;

import dev.dibs.DibsException;
import dev.dibs.sql.Database;
import dev.dibs.sql.Params;
import dev.dibs.sql.Secrets;
import dev.dibs.sql.SqlFailure;
import dev.dibs.sql.TableText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** The tables: makes them, and tells which one or which column is missing. */
public final class Schema {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int TRIES = 10;
    private static final long LONGEST_PAUSE_MILLIS = 200;

    private final Database database;
    private final String dialect;

    public Schema(Database database, String dialect) {
        this.database = database;
        this.dialect = dialect;
    }

    String dialect() {
        return dialect;
    }

    /**
     * Makes what is not there. Several nodes that do so at the same instant may meet an error of the database's even with IF
     * NOT EXISTS: whoever does looks again.
     */
    public void create() throws SqlFailure {
        for (int tried = 1; ; tried++) {
            try {
                for (TableText table : database.statements().tables()) {
                    database.call(table.createStatement(), Params.none(), TIMEOUT);
                }
                return;
            } catch (SqlFailure e) {
                if (e.isRightMissing() && allIsThere()) {
                    // Some refuse even what would make nothing.
                    return;
                }
                if (tried == TRIES || isUnasked(e) || e.isRightMissing()) {
                    throw e;
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_MILLIS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Throws if anything is missing, saying what. */
    public void check() throws SqlFailure {
        String wrong = whatIsWrong();
        if (!wrong.isEmpty()) {
            throw new DibsException(wrong, null);
        }
    }

    /** Returns what is missing and the command that adds it, or an empty text. */
    public String whatIsWrong() throws SqlFailure {
        return allIsThere() ? "" : whatIsWrongOneByOne();
    }

    /** It says nothing of the tables. */
    private static boolean isUnasked(SqlFailure e) {
        return e.isWithoutConnection() || e.outcome() == SqlFailure.Outcome.NOT_SENT;
    }

    /** One statement for all tables; it does not tell which one it fails at. */
    private boolean allIsThere() throws SqlFailure {
        try {
            database.call("look_at_tables", Params.none(), TIMEOUT);
            return true;
        } catch (SqlFailure e) {
            if (isUnasked(e)) {
                throw e;
            }
            return false;
        }
    }

    private String whatIsWrongOneByOne() throws SqlFailure {
        List<String> missing = new ArrayList<>();
        List<String> unreadable = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        String reason = "";
        for (TableText table : database.statements().tables()) {
            try {
                wrong.addAll(missingColumns(table, database.columns(table.columnsStatement(), TIMEOUT)));
            } catch (SqlFailure e) {
                if (isUnasked(e)) {
                    throw e;
                }
                (e.isRightMissing() ? unreadable : missing).add(table.name());
                reason = Secrets.masked(e.getCause()).strip();
            }
        }
        if (!unreadable.isEmpty()) {
            wrong.add(0, tables(unreadable) + " may not be read (" + reason + "). " + Rights.advice(dialect));
        }
        if (!missing.isEmpty()) {
            wrong.add(0, missingTables(missing, unreadable.isEmpty() ? reason : ""));
        }
        return String.join(" ", wrong);
    }

    private String missingTables(List<String> names, String reason) {
        boolean one = names.size() == 1;
        return tables(names) + (one ? " is" : " are") + " missing" + (reason.isEmpty() ? "" : " (" + reason + ")")
                + ". Make " + (one ? "it" : "them")
                + " with Dibs.createSchema(), with the command 'dibs init', or run what"
                + " 'dibs schema " + dialect + "' prints";
    }

    private static String tables(List<String> names) {
        return (names.size() == 1 ? "The table " : "The tables ") + String.join(", ", names);
    }

    private static List<String> missingColumns(TableText table, Set<String> columns) {
        return table.columns().stream()
                .filter(column -> !columns.contains(column))
                .map(column -> "The table " + table.name() + " has no column " + column + ". Add it: ALTER TABLE "
                        + table.name() + " ADD " + table.definition(column))
                .toList();
    }
}
