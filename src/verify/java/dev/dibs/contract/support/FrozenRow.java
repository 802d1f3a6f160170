package dev.dibs.contract.support;

import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A user's table of six rows, of which the database refuses the completion of the third. */
public final class FrozenRow implements AutoCloseable {

    public static final long FROZEN = 3;

    /** The numbers of the others. */
    public static final List<Long> OTHERS = List.of(1L, 2L, 4L, 5L, 6L);

    /** The claims go over a view, where the database has such a one and can change rows by it. */
    private static final String VIEW = "CHECK OPTION";

    private static final String COMPLETE = "done_at = id";

    /**
     * A way in which a database refuses a row.
     *
     * @param columns further ones, and constraints
     * @param effect of the completion
     * @param trigger the statements of a trigger on the table #; none for a constraint
     */
    public record Way(String name, String columns, String effect, List<String> trigger) {

        @Override
        public String toString() {
            return name;
        }
    }

    private final DataSource dataSource;
    private final String table;
    private final String effect;

    private FrozenRow(DataSource dataSource, String table, String effect) {
        this.dataSource = dataSource;
        this.table = table;
        this.effect = effect;
    }

    /** The ways of a database. */
    public static List<Way> ways(TestDatabase database) {
        List<Way> ways = new ArrayList<>();
        for (List<String> trigger : database.refusals("#", "UPDATE", "NEW.id = 3 AND NEW.done_at IS NOT NULL")) {
            ways.add(new Way("trigger " + trigger, "", COMPLETE, trigger));
        }
        ways.add(new Way("CHECK", ", CONSTRAINT #_check CHECK (done_at IS NULL OR id <> 3)", COMPLETE, List.of()));
        ways.add(new Way(
                "NOT NULL",
                ", note varchar(9) DEFAULT 'x' NOT NULL",
                "done_at = id, note = CASE WHEN id = 3 THEN NULL ELSE 'x' END",
                List.of()));
        ways.add(new Way(
                "unique",
                ", CONSTRAINT #_unique UNIQUE (done_at)",
                "done_at = CASE WHEN id = 3 THEN 2 ELSE id END",
                List.of()));
        ways.add(new Way(
                "foreign key",
                ", parent bigint, CONSTRAINT #_parent FOREIGN KEY (parent) REFERENCES # (id)",
                "done_at = id, parent = CASE WHEN id = 3 THEN 99 ELSE id END",
                List.of()));
        ways.add(new Way(VIEW, "", COMPLETE, List.of()));
        return ways;
    }

    /** Makes the table. */
    public static FrozenRow of(TestDatabase database, DataSource dataSource, Way way) throws SQLException {
        String table = "frozen_" + Fixture.COUNT.incrementAndGet() + "_"
                + ProcessHandle.current().pid();
        Sql sql = Sql.on(dataSource);
        sql.run(("CREATE TABLE # (id bigint NOT NULL PRIMARY KEY, token varchar(40), ends_at bigint, done_at bigint"
                        + way.columns() + ")")
                .replace("#", table));
        FrozenRow frozen = new FrozenRow(dataSource, table, way.effect());
        sql.run("INSERT INTO " + table + " (id) VALUES (1), (2), (3), (4), (5), (6)");
        if (!way.trigger().isEmpty()) {
            database.refusals(table, "UPDATE", "NEW.id = 3 AND NEW.done_at IS NOT NULL")
                    .get(index(database, way))
                    .forEach(statement -> run(sql, statement));
        }
        return way.name().equals(VIEW) ? frozen.overView(sql) : frozen;
    }

    private FrozenRow overView(Sql sql) {
        String view = table + "_view";
        try {
            sql.run("CREATE VIEW " + view + " AS SELECT * FROM " + table
                    + " WHERE done_at IS NULL OR id <> 3 WITH CHECK OPTION");
            sql.run("UPDATE " + view + " SET done_at = NULL WHERE id = 1");
        } catch (SQLException e) {
            return this;
        }
        return new FrozenRow(dataSource, view, effect);
    }

    private static int index(TestDatabase database, Way way) {
        return database.refusals("#", "UPDATE", "NEW.id = 3 AND NEW.done_at IS NOT NULL")
                .indexOf(way.trigger());
    }

    private static void run(Sql sql, String statement) {
        try {
            sql.run(statement);
        } catch (SQLException e) {
            throw new IllegalStateException(statement, e);
        }
    }

    /** Whether the database refuses the row, as it may not if a setting switches foreign keys off. */
    public boolean isRefused() throws SQLException {
        try {
            Sql.on(dataSource).run("UPDATE " + table + " SET done_at = 2 WHERE id = 2");
            Sql.on(dataSource).run("UPDATE " + table + " SET " + effect + " WHERE id = 3");
        } catch (SQLException refused) {
            return true;
        } finally {
            Sql.on(dataSource).run("UPDATE " + table + " SET done_at = NULL WHERE id = 2");
        }
        return false;
    }

    public ClaimsBuilder claims(Dibs dibs, boolean side) {
        ClaimsBuilder claims = dibs.claims(table)
                .key("id")
                .uniqueKey()
                .where("done_at IS NULL")
                .orderBy("id")
                .completeSet(effect);
        return side ? claims.sideTable() : claims.token("token").until("ends_at");
    }

    public List<Long> done() throws SQLException {
        return Sql.on(dataSource).numbers("SELECT id FROM " + table + " WHERE done_at IS NOT NULL ORDER BY id");
    }

    public String table() {
        return table;
    }

    @Override
    public void close() throws SQLException {
        if (table.endsWith("_view")) {
            Sql.on(dataSource).run("DROP VIEW " + table);
        }
        Sql.on(dataSource).run("DROP TABLE " + table.replace("_view", ""));
    }
}
