package dev.dibs.contract.statements;

import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.LeaseStatements;
import dev.dibs.database.Sql;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.errors.SqlFailure.Outcome;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Each statement that adds a row of Dibs keeps, changes or reports the row that it finds, as its line "existing row" says: also if several
 * callers send it for the same key at the same instant. Whoever is told of a duplicate or a rollback sends it again, and then finds the
 * row.
 */
@Tag("race")
class InsertRaceContract extends Fixture {
    private static final int CALLERS = 3;
    private static final int ROUNDS = inFullRun(20, 5);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /**
     * A statement, and where its row is.
     *
     * @param where finds the row of the key; # stands for the key
     * @param reports whether it goes on reporting the row
     */
    private record Adding(String statement, String table, String where, boolean reports) {}

    private static final List<Adding> ADDING = List.of(
            new Adding("acquire_lock", "lock", "name = '#'", false),
            new Adding("acquire_held_lock", "lock", "name = '#'", false),
            new Adding("make_locks", "lock", "name = '#'", false),
            new Adding("acquire_permit", "permit", "name = '#'", false),
            new Adding("acquire_gate", "gate", "name = '#'", false),
            new Adding("acquire_reader", "gate", "name = '#'", false),
            new Adding("acquire_once", "once", "name = '#'", false),
            new Adding("issue_new_token", "token", "subject = '#'", true),
            new Adding("issue_token", "token", "subject = '#'", false),
            new Adding("issue_code", "token", "subject = '#'", false),
            new Adding("begin_run", "run", "name = '#'", false),
            new Adding("enter_worker", "run_worker", "run = '#'", false),
            new Adding("fail_run_row", "run_row", "run = '#'", false));

    @Test
    void callersOfTheSameKeyAgreeOnOneRow() throws Exception {
        Database database = asked(pool(), "dibs_");
        for (Adding adding : ADDING) {
            for (int round = 0; round < ROUNDS; round++) {
                String key = fresh("insert");
                CyclicBarrier start = new CyclicBarrier(CALLERS);
                inThreads(CALLERS, caller -> {
                    start.await();
                    send(database, adding, params(key, caller));
                });
                assertThat(rows(adding, key)).as(adding.statement()).isEqualTo(1);
            }
        }
    }

    /** As a caller does. On SQLite, the file may be busy with the writes of other tests. */
    private static void send(Database database, Adding adding, Params params) throws Exception {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            try {
                Call<Boolean> call = Call.of(database.statements(), adding.statement(), params, row -> true);
                List<Boolean> unused = database.run(Steps.of(call), TIMEOUT, Steps.Send::send);
                return;
            } catch (SqlFailure e) {
                if (adding.reports() && e.isConstraint()) {
                    return;
                }
                boolean collides = e.toRetry() == Outcome.DUPLICATE || e.toRetry() == Outcome.ROLLED_BACK;
                if (!collides || System.nanoTime() - end > 0) {
                    throw e;
                }
                Thread.sleep(ThreadLocalRandom.current().nextLong(20));
            }
        }
    }

    /** The same key for all, and an owner for each. */
    private static Params params(String key, int caller) throws Exception {
        String owner = key + "-" + caller;
        Params params = Params.of("state", "dead")
                .with("holder", "somebody")
                .with("seen", -2)
                .with("digest", MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8)))
                .with("id", "sole")
                .with("payload", "none")
                .with("worker", "worker")
                .with("row_key", "7")
                .with("kept", "again")
                .with("attempts", caller)
                .withPairs(List.of(key), List.of(owner));
        List.of("name", "purpose", "subject", "run").forEach(name -> params.with(name, key));
        List.of("owner", "by", "label", "message").forEach(name -> params.with(name, owner));
        LeaseStatements.each(params, LONG.toMillis(), "lease", "ttl");
        LeaseStatements.each(params, 1, "permits", "batch");
        return LeaseStatements.each(params, 0, "hold", "every", "due", "rate", "max_failures", "max_percent");
    }

    private long rows(Adding adding, String key) throws SQLException {
        return Sql.on(pool())
                .numbers("SELECT count(*) FROM dibs_" + adding.table() + " WHERE "
                        + adding.where().replace("#", key))
                .get(0);
    }

    /** A take-over changes a row that is to be tried again later into a dead one, but not one whose retry somebody wants. */
    @Test
    void aFailureChangesTheRowThatItFindsButForAState() throws Exception {
        Database database = asked(pool(), "dibs_");
        Adding failing = ADDING.get(ADDING.size() - 1);
        String key = fresh("kept");
        String dead = "SELECT count(*) FROM dibs_run_row WHERE run = '" + key + "' AND state = 'dead' AND attempts = 1";
        send(database, failing, params(key, 0).with("state", "retry"));
        send(database, failing, params(key, 1));
        assertThat(sql().numbers(dead)).containsExactly(1L);
        sql().run("UPDATE dibs_run_row SET state = 'again' WHERE run = '" + key + "'");
        send(database, failing, params(key, 1));
        assertThat(sql().numbers(dead)).containsExactly(0L);
        assertThat(rows(failing, key)).isEqualTo(1);
    }

    /** Whoever adds a statement that adds a row says what it does with one that exists, and adds it here. */
    @Test
    void aStatementThatKeepsOrChangesARowIsRaced() throws Exception {
        Database database = asked(pool(), "dibs_");
        List<String> known = ADDING.stream().map(Adding::statement).toList();
        Map<String, String> contracts = new HashMap<>(database.statements().contracts());
        contracts.keySet().retainAll(database.statements().names());
        contracts.forEach((name, contract) -> {
            boolean adds = database.statements().steps(name).stream()
                    .anyMatch(step -> step.jdbc().contains("INSERT IGNORE"));
            assertThat(adds).as(name + ": INSERT IGNORE hides other errors").isFalse();
            if (contract.contains("existing row: kept") || contract.contains("existing row: changed")) {
                assertThat(Stream.of(name, name.replaceFirst("_(ticket|each_lock)$", "_lock")))
                        .as("is raced: " + name)
                        .anyMatch(known::contains);
            }
        });
    }
}
