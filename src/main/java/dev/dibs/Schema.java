package dev.dibs;

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
final class Schema {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int TRIES = 10;
    private static final long LONGEST_PAUSE_MILLIS = 200;

    private final Database database;
    private final String dialect;

    Schema(Database database, String dialect) {
        this.database = database;
        this.dialect = dialect;
    }

    /**
     * Makes what is not there. Several nodes that do so at the same instant may meet an error of the database's even with IF
     * NOT EXISTS: whoever does looks again.
     */
    void create() throws SqlFailure {
        for (int tried = 1; ; tried++) {
            try {
                for (TableText table : database.statements().tables()) {
                    database.call(table.createStatement(), Params.none(), TIMEOUT);
                }
                return;
            } catch (SqlFailure e) {
                if (tried == TRIES || e.outcome() == SqlFailure.Outcome.NOT_SENT) {
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

    /** Returns what is missing and the command that adds it, or an empty text. */
    String whatIsWrong() throws SqlFailure {
        List<String> wrong = new ArrayList<>();
        for (TableText table : database.statements().tables()) {
            String missing = missingOf(table);
            if (!missing.isEmpty()) {
                wrong.add(missing);
            }
        }
        return String.join(" ", wrong);
    }

    private String missingOf(TableText table) throws SqlFailure {
        Set<String> columns;
        try {
            columns = database.columns(table.columnsStatement(), TIMEOUT);
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.NOT_SENT) {
                throw e;
            }
            return "The table " + table.name() + " is missing or may not be read ("
                    + Secrets.masked(e.getCause()).strip()
                    + "). Make it with Dibs.createSchema(), with the command 'dibs init', or run what 'dibs schema "
                    + dialect
                    + "' prints";
        }
        List<String> missing = table.columns().stream()
                .filter(column -> !columns.contains(column))
                .map(column -> "The table " + table.name() + " has no column " + column + ". Add it: ALTER TABLE "
                        + table.name() + " ADD " + table.definition(column))
                .toList();
        return String.join(" ", missing);
    }
}
