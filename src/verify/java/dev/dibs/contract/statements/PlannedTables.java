package dev.dibs.contract.statements;

import static dev.dibs.contract.support.LeaseStatements.each;

import dev.dibs.Dibs;
import dev.dibs.database.Sql;
import dev.dibs.database.Traits;
import dev.dibs.internal.sql.call.Params;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * All tables of Dibs under another prefix, each with 100,000 rows, and one of the user's.
 *
 * <p>A row has a number. A hundred consecutive ones are a team, and a thousand a block. If a name has many rows, they are a team; if a
 * scope or a purpose has many, a block. So most rows are added in the order of the keys, which is faster.
 */
final class PlannedTables implements AutoCloseable {

    static final String PREFIX = "plan_";

    /** The user's table, with ten open rows. */
    static final String WORK = "planned_work";

    static final int ROWS = 100_000;

    /** A statement that reads this many rows has read a whole table: databases only estimate the number. */
    static final int MANY = ROWS / 2;

    /** Every other row is held for years; the others have expired. */
    private static final String HELD_UNTIL = "CASE WHEN mod(id, 2) = 0 THEN 4102444800000 ELSE 1577836800000 END";

    private static final String NAME_AND_OWNER = "name, owner, holder, fence, acquired_at, held_until";
    private static final String OF_ID = "concat('name-', id), concat('owner-', id), 'somebody', id, 0, " + HELD_UNTIL;
    private static final String OF_TEAM =
            "concat('name-', team), concat('owner-', id), 'somebody', id, 0, " + HELD_UNTIL;

    /** By table: its columns, and their values. */
    private static final Map<String, List<String>> FILLED = Map.ofEntries(
            filled("lock", NAME_AND_OWNER, OF_ID),
            filled("once", NAME_AND_OWNER, OF_ID),
            filled("gate", NAME_AND_OWNER, OF_ID),
            filled("reader", NAME_AND_OWNER, OF_TEAM),
            filled("ticket", NAME_AND_OWNER, OF_TEAM),
            filled("permit", NAME_AND_OWNER + ", slot", OF_TEAM + ", mod(id, 100)"),
            filled(
                    "claim",
                    "scope, row_key, token, held_until",
                    "concat('scope-', block), concat('', id), concat('owner-', id), " + HELD_UNTIL),
            filled(
                    "range",
                    "scope, id, first_key, last_key, token, held_until",
                    "concat('scope-', block), CASE WHEN mod(id, 1000) = 0 THEN 'dibs-cursor' ELSE concat('owner-', id) END,"
                            + " id, id, concat('owner-', id), " + HELD_UNTIL),
            filled(
                    "run",
                    "name, state, changed_at, batch, rate, max_failures, max_percent, forgiven, started_at, next_at",
                    "concat('name-', id), 'running', 0, 10, 0, 0, 0, 0, 0, 0"),
            filled(
                    "run_worker",
                    "run, worker, label, started_at, seen_at, done, failed, rate",
                    "concat('name-', team), concat('owner-', id), 'somebody', 0, 0, 0, 0, 0"),
            filled(
                    "run_row",
                    "run, row_key, state, attempts, failed_at",
                    "concat('name-', team), concat('', id), CASE WHEN mod(id, 2) = 0 THEN 'dead' ELSE 'retry' END, 1, 0"),
            filled(
                    "run_error",
                    "run, failed_at, id, row_key, attempt, worker, error_class",
                    "concat('name-', team), id, concat('owner-', id), concat('', id), 1, 'somebody', 'none'"),
            filled(
                    "token",
                    "purpose, digest, id, subject, issued_at, ends_at, replays, tries, window_until",
                    "concat('purpose-', block), {digest}, concat('id-', id), concat('subject-', team), 0, " + HELD_UNTIL
                            + ", 0, 0, 0"));

    private static Map.Entry<String, List<String>> filled(String table, String columns, String values) {
        return Map.entry(table, List.of(columns, values));
    }

    private final DataSource dataSource;

    PlannedTables(DataSource dataSource, Traits database) throws SQLException {
        this.dataSource = dataSource;
        close();
        Sql.on(dataSource)
                .run("CREATE TABLE " + WORK
                        + " (id bigint NOT NULL PRIMARY KEY, team bigint NOT NULL, block bigint NOT NULL,"
                        + " done bigint NOT NULL)");
        Sql.on(dataSource).run("CREATE INDEX " + WORK + "_open ON " + WORK + " (done, id)");
        Sql.on(dataSource)
                .run("INSERT INTO " + WORK + " (id, team, block, done) SELECT n, floor(n / 100), floor(n / 1000),"
                        + " CASE WHEN n BETWEEN 50045 AND 50054 THEN 0 ELSE 1 END FROM " + database.numbers(ROWS - 1));
        try (Dibs dibs = Dibs.builder(dataSource).tablePrefix(PREFIX).build()) {
            dibs.admin().createSchema();
        }
        for (Map.Entry<String, List<String>> filled : FILLED.entrySet()) {
            Sql.on(dataSource)
                    .run("INSERT INTO " + PREFIX + filled.getKey() + " ("
                            + filled.getValue().get(0) + ") SELECT "
                            + filled.getValue().get(1).replace("{digest}", database.sha256("concat('token-', id)"))
                            + " FROM "
                            + WORK);
        }
        for (String table : FILLED.keySet()) {
            Sql.on(dataSource).run(database.analyze(PREFIX + table));
        }
        Sql.on(dataSource).run(database.analyze(WORK));
    }

    /**
     * A value for each parameter.
     *
     * @param unused the value where a statement adds a row, or empty for values of an existing row
     */
    static Params params(String unused) {
        String owner = unused.isEmpty() ? "owner-50050" : unused;
        Params params = Params.of("name", "name-500")
                .with("owner", owner)
                .with("known_fences", List.of(1L, 1L))
                .with("last_worker", "worker-50999")
                .with("holder", "somebody else")
                .with("number", Long.MAX_VALUE / 2)
                .with("writer", "owner-500")
                .with("retention", 3_000_000_000_000L)
                .with("purpose", "purpose-50")
                .with("subject", "subject-500")
                .with("digest", sha256(unused.isEmpty() ? "token-50050" : unused))
                .with("moved", "moved-" + unused)
                .with("run", "name-500")
                .with("state", "dead")
                .with("kept", "again")
                .with("row_key", unused.isEmpty() ? "50050" : unused)
                .with("table", WORK)
                .with("scope", "scope-50")
                .withPairs(List.of("name-500", "name-501"), List.of("owner-50050", "owner-50150"))
                .withKeys(List.of(List.of("50050", "50051")));
        for (String own : List.of("id", "worker", "token")) {
            params.with(own, owner);
        }
        for (String text :
                "error payload attempt by reason label in_hand message error_class stack until".split(" ", -1)) {
            params.with(text, "none");
        }
        each(params, 0, "due", "since", "rate", "max_failures", "max_percent", "from", "to", "ended", "failed");
        each(params, 0, "worker_before", "error_before", "held_until")
                .with("seen", -2)
                .with("attempts", 2);
        each(params, 60_000, "lease", "hold", "every", "delay", "ttl", "window").with("age", 600_000);
        each(params, 10, "n", "value").with("tries", 5).with("first_key", 50050).with("behind", 10_000);
        return each(params, 1, "known_fence", "done").with("permits", 100).with("batch", 100);
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws SQLException {
        for (String table : FILLED.keySet()) {
            Sql.on(dataSource).run("DROP TABLE IF EXISTS " + PREFIX + table);
        }
        Sql.on(dataSource).run("DROP TABLE IF EXISTS " + WORK);
    }
}
