package dev.dibs.contract.locks.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Two tables that record who holds the lock. A process records itself first and then looks for others, so that of two that should not meet,
 * the later one sees it. A writer's entry is numbered; a reader's has the number of the last writer's.
 */
record SharedLedger(String table) {

    private static final int OVERLAP = 9;
    private static final int DEAD = 2;

    /** Those of a race, whose tables have names that begin so. */
    static List<SharedLedger> of(Race race, String tables) {
        return IntStream.range(0, race.ledgers())
                .mapToObj(number -> new SharedLedger(tables + "_" + number))
                .toList();
    }

    void make(DataSource dataSource) throws SQLException {
        Sql.on(dataSource)
                .run(
                        "CREATE TABLE " + table + " (num bigint NOT NULL, writer int NOT NULL, fence bigint NOT NULL)",
                        "CREATE TABLE " + table
                                + "_in (id varchar(60) NOT NULL PRIMARY KEY, writer int NOT NULL, process int NOT NULL)");
    }

    void drop(DataSource dataSource) throws SQLException {
        Sql.on(dataSource).run("DROP TABLE " + table, "DROP TABLE " + table + "_in");
    }

    /** The process was killed, at any point: from now on it meets nobody, even if its last record is still on its way. */
    void forget(DataSource dataSource, int process) throws SQLException {
        Sql.on(dataSource).change("INSERT INTO " + table + "_in VALUES (?, ?, ?)", "dead " + process, DEAD, process);
    }

    void in(DataSource dataSource, String id, int process, boolean writes, long fence) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Sql sql = Sql.on(connection);
            sql.change("INSERT INTO " + table + "_in VALUES (?, ?, ?)", id, writes ? 1 : 0, process);
            String alive = " AND process NOT IN (SELECT process FROM " + table + "_in WHERE writer = " + DEAD + ")";
            boolean alone = !sql.finds(
                    "SELECT id FROM " + table + "_in WHERE id <> ?" + (writes ? "" : " AND writer = 1") + alive, id);
            long last = sql.number("SELECT coalesce(max(num), 0) FROM " + table + " WHERE writer = 1");
            int kind = !alone ? OVERLAP : writes ? 1 : 0;
            sql.change("INSERT INTO " + table + " VALUES (?, ?, ?)", writes ? last + 1 : last, kind, fence);
        }
    }

    void out(DataSource dataSource, String id) throws SQLException {
        Sql.on(dataSource).run("DELETE FROM " + table + "_in WHERE id = '" + id + "'");
    }

    private record Entry(long number, long fence) {}

    /** No process has met another one, and the fences are in the order of the entries; returns how many. */
    int check(DataSource dataSource) throws SQLException {
        assertThat(entries(dataSource, OVERLAP)).as("overlaps").isEmpty();
        TreeMap<Long, Long> writers = new TreeMap<>();
        long last = 0;
        for (Entry written : entries(dataSource, 1)) {
            assertThat(writers.put(written.number(), written.fence()))
                    .as("two wrote at a time")
                    .isNull();
            assertThat(written.fence()).as("fences grow").isGreaterThan(last);
            last = written.fence();
        }
        List<Entry> read = entries(dataSource, 0);
        for (Entry entry : read) {
            assertThat(entry.fence())
                    .as("a reader's number")
                    .isGreaterThanOrEqualTo(writers.getOrDefault(entry.number(), 0L))
                    .isLessThan(writers.getOrDefault(entry.number() + 1, Long.MAX_VALUE));
        }
        return writers.size() + read.size();
    }

    private List<Entry> entries(DataSource dataSource, int kind) throws SQLException {
        return Sql.on(dataSource)
                .rows(
                        row -> new Entry(row.getLong(1), row.getLong(2)),
                        "SELECT num, fence FROM " + table + " WHERE writer = ? ORDER BY num, fence",
                        kind);
    }
}
