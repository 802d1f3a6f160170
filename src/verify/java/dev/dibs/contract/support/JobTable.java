package dev.dibs.contract.support;

import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.database.Sql;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import javax.sql.DataSource;

/** A user's table with some rows to process, numbered from 1, and a log of the work. */
public abstract class JobTable implements AutoCloseable {
    private static final int AT_ONCE = 1000;

    final DataSource dataSource;
    final String table;
    final String key;
    final String log;

    JobTable(DataSource dataSource, String table, String key, String log) {
        this.dataSource = dataSource;
        this.table = table;
        this.key = key;
        this.log = log;
    }

    /** Adds rows, each with the values of its number. */
    static void fill(DataSource dataSource, String table, String columns, long rows, LongFunction<String> values)
            throws SQLException {
        for (long from = 1; from <= rows; from += AT_ONCE) {
            Sql.on(dataSource)
                    .run("INSERT INTO " + table + " (" + columns + ") VALUES "
                            + LongStream.range(from, Math.min(from + AT_ONCE, rows + 1))
                                    .mapToObj(number -> "(" + values.apply(number) + ")")
                                    .collect(Collectors.joining(", ")));
        }
    }

    public final String table() {
        return table;
    }

    /** The table of the effects. */
    public final String log() {
        return log;
    }

    /** Claims that end by time, in the order of the keys. */
    public abstract ClaimsBuilder claims(Dibs dibs);

    /** How many rows are claimed. */
    public abstract long claimed() throws SQLException;

    /** When the claims on rows end, in the order of the keys. */
    public abstract List<Long> until() throws SQLException;

    /** Lets the claim on a row end so much earlier. */
    public abstract void age(long row, long millis) throws SQLException;

    /** The numbers of the completed rows. */
    public final List<Long> done() throws SQLException {
        return numbers("SELECT " + key + " FROM " + table + " WHERE done_at IS NOT NULL ORDER BY " + key);
    }

    public final long one(String query) throws SQLException {
        return numbers(query).get(0);
    }

    public final List<Long> numbers(String query) throws SQLException {
        return Sql.on(dataSource).numbers(query);
    }

    public final void run(String... statements) throws SQLException {
        Sql.on(dataSource).run(statements);
    }

    @Override
    public final void close() throws SQLException {
        run("DROP TABLE " + table, "DROP TABLE " + log);
    }
}
