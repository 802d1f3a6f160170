package dev.dibs.fault.worker;

import dev.dibs.claims.RowKey;
import dev.dibs.database.Sql;
import dev.dibs.fault.history.Effects;
import dev.dibs.fault.history.Effects.EffectRow;
import dev.dibs.fault.history.Effects.JobRow;
import dev.dibs.fault.history.Effects.LedgerRow;
import dev.dibs.fault.history.HistoryChecker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The application's tables: they have no constraint against two equal writes, so that these would be seen. */
public final class Tables {
    static final String JOB = "fault_job";
    /** Its rows are in partitions, by a time of their key. */
    public static final String PART_JOB = "fault_part_job";

    static final String SIDE_JOB = "fault_side_job";
    /** The table of a run. */
    public static final String RUN_JOB = "fault_run_job";
    /** Its rows are not written. */
    public static final String PASS_JOB = "fault_pass_job";

    /** Its rows take turns, a customer each fifth one. */
    static final String PER_KEY_JOB = HistoryChecker.PER_KEY;

    private static final int MORE = 40;

    public static final String TIME = "created_at";
    /** Where one partition ends and another one begins. */
    public static final String BORDER = "2026-10-25 02:00:00";

    private Tables() {}

    /**
     * Makes them.
     *
     * @param time the type of a time with microseconds
     * @param partitions what makes partitions by the column {@value #TIME}
     */
    public static void make(Connection connection, String time, String partitions) throws SQLException {
        Sql.on(connection)
                .run("CREATE TABLE fault_ledger (name varchar(60) NOT NULL, num bigint NOT NULL,"
                        + " fence bigint NOT NULL, op varchar(60) NOT NULL)");
        Sql.on(connection).run("CREATE INDEX fault_ledger_num ON fault_ledger (name, num)");
        Sql.on(connection).run("CREATE TABLE fault_effect (target varchar(60) NOT NULL, op varchar(60) NOT NULL)");
        for (String table : List.of(JOB, RUN_JOB)) {
            Sql.on(connection)
                    .run("CREATE TABLE " + table + " (id bigint NOT NULL PRIMARY KEY,"
                            + " completions bigint DEFAULT 0 NOT NULL, token varchar(32), claimed_until bigint)");
            Sql.on(connection).run("CREATE INDEX " + table + "_open ON " + table + " (completions, id)");
        }
        Sql.on(connection)
                .run(
                        "CREATE TABLE " + PER_KEY_JOB + " (id bigint NOT NULL PRIMARY KEY, customer int NOT NULL,"
                                + " completions bigint DEFAULT 0 NOT NULL, token varchar(32), claimed_until bigint)",
                        "CREATE INDEX " + PER_KEY_JOB + "_open ON " + PER_KEY_JOB + " (completions, customer, id)",
                        "CREATE INDEX " + PER_KEY_JOB + "_turn ON " + PER_KEY_JOB + " (customer, id)");
        Sql.on(connection)
                .run("CREATE TABLE " + PART_JOB + " (id bigint NOT NULL, " + TIME + " " + time + " NOT NULL,"
                        + " completions bigint DEFAULT 0 NOT NULL, token varchar(32), claimed_until bigint,"
                        + " PRIMARY KEY (id, " + TIME + "))" + partitions);
        Sql.on(connection)
                .run("CREATE INDEX " + PART_JOB + "_open ON " + PART_JOB + " (completions, id, " + TIME + ")");
        Sql.on(connection).run("CREATE TABLE " + PASS_JOB + " (id bigint NOT NULL PRIMARY KEY)");
        Sql.on(connection)
                .run("CREATE TABLE " + SIDE_JOB + " (id bigint NOT NULL PRIMARY KEY,"
                        + " completions bigint DEFAULT 0 NOT NULL)");
        Sql.on(connection).run("CREATE INDEX fault_side_job_open ON " + SIDE_JOB + " (completions, id)");
    }

    /** Adds rows to be claimed, as long as there are fewer open ones than this. */
    public static void addJobs(Connection connection, int open) throws SQLException {
        for (String table : List.of(JOB, PART_JOB, SIDE_JOB, RUN_JOB, PER_KEY_JOB)) {
            long left = count(connection, "SELECT count(*) FROM " + table + " WHERE completions = 0");
            add(connection, table, open - left);
        }
        long done = count(connection, "SELECT count(*) FROM " + PASS_JOB);
        add(connection, PASS_JOB, done == 0 ? open : MORE);
    }

    private static void add(Connection connection, String table, long rows) throws SQLException {
        long last = count(connection, "SELECT coalesce(max(id), 0) FROM " + table);
        try (Statement insert = connection.createStatement()) {
            for (long id = last + 1; id <= last + rows; id++) {
                insert.addBatch("INSERT INTO " + table
                        + switch (table) {
                            case PART_JOB -> " (id, " + TIME + ") VALUES (" + id + ", " + time(id) + ")";
                            case PER_KEY_JOB -> " (id, customer) VALUES (" + id + ", " + id % 5 + ")";
                            default -> " (id) VALUES (" + id + ")";
                        });
            }
            insert.executeBatch();
        }
    }

    /** In the hours in which clocks are set back in Europe. */
    private static String time(long id) {
        return String.format(Locale.ROOT, "'2026-10-25 0%d:30:00.%06d'", id % 4, id % 1_000_000);
    }

    /** Writes one number more than the last one of the name, and returns it. */
    static long append(Connection connection, String name, long fence, String op) throws SQLException {
        long number = last(connection, name) + 1;
        Sql.on(connection)
                .change("INSERT INTO fault_ledger (name, num, fence, op) VALUES (?, ?, ?, ?)", name, number, fence, op);
        return number;
    }

    /** The fence of the last write of the name. */
    static long lastFence(Connection connection, String name) throws SQLException {
        return Sql.on(connection).number("SELECT coalesce(max(fence), 0) FROM fault_ledger WHERE name = ?", name);
    }

    static long last(Connection connection, String name) throws SQLException {
        return Sql.on(connection).number("SELECT coalesce(max(num), 0) FROM fault_ledger WHERE name = ?", name);
    }

    static void effect(Connection connection, String target, String op) throws SQLException {
        Sql.on(connection).change("INSERT INTO fault_effect (target, op) VALUES (?, ?)", target, op);
    }

    /** The contents of all tables; a pass is over. */
    public static Effects read(Connection connection, Map<String, Long> counts) throws SQLException {
        Sql sql = Sql.on(connection);
        List<LedgerRow> ledger = sql.rows(
                row -> new LedgerRow(row.getString(1), row.getLong(2), row.getLong(3), row.getString(4)),
                "SELECT name, num, fence, op FROM fault_ledger");
        List<JobRow> jobs = new ArrayList<>();
        for (String table : List.of(JOB, PART_JOB, SIDE_JOB, RUN_JOB, PER_KEY_JOB, PASS_JOB)) {
            String completions = table.equals(PASS_JOB) ? "1" : "completions";
            jobs.addAll(sql.rows(
                    row -> new JobRow(target(table, row.getLong(1)), row.getLong(2)),
                    "SELECT id, " + completions + " FROM " + table));
        }
        List<EffectRow> effects = sql.rows(
                row -> new EffectRow(row.getString(1), row.getString(2)), "SELECT target, op FROM fault_effect");
        return new Effects(ledger, jobs, effects, counts);
    }

    /** The name of a row in a history. */
    static String target(String table, long id) {
        return table + ":" + id;
    }

    static String target(String table, RowKey key) {
        return target(table, key.part(0).asLong());
    }

    private static long count(Connection connection, String sql) throws SQLException {
        return Sql.on(connection).number(sql);
    }
}
