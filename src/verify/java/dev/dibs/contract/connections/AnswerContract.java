package dev.dibs.contract.connections;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.TransactionWork;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.FrozenRow;
import dev.dibs.contract.support.FrozenRow.Way;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.Sql;
import dev.dibs.once.OnceOutcome;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** An answer of the database is no outage: it is told at once, with the database's reason, and says what was done. */
class AnswerContract extends ContractFixture {

    private static final String REASON = "the row is frozen";

    @Test
    void aRefusedCompletionSaysWhyAndNamesTheDoneRows() throws Exception {
        for (Way way : FrozenRow.ways(database())) {
            for (boolean side : new boolean[] {false, true}) {
                FrozenRow rows = closing(FrozenRow.of(database(), pool(), way));
                if (rows.isRefused()) {
                    assertThatCompletionIsRefused(way, side, rows);
                }
            }
        }
    }

    private void assertThatCompletionIsRefused(Way way, boolean side, FrozenRow rows) throws Exception {
        FaultyDataSource watched = new FaultyDataSource(pool());
        Claim<RowKey> claim = rows.claims(dibs(watched), side).build().claim(6);
        watched.on(sql -> sql.contains(rows.table()) && sql.contains("done_at"))
                .always()
                .delayBefore(Duration.ZERO);
        AbstractThrowableAssert<?, ?> refused = assertRefused(way.name(), claim::complete);
        if (!way.trigger().isEmpty()) {
            refused.hasMessageContaining(REASON);
        }
        assertThat(watched.struck()).as("it is not sent again: " + way).hasSizeLessThan(5);
        List<Long> done = rows.done();
        if (!done.isEmpty()) {
            refused.hasMessageContaining("Only these rows are done: " + done);
        }
        List<RowKey> others = claim.keys().stream()
                .filter(claim::isHeld)
                .filter(key -> key.asLong() != FrozenRow.FROZEN)
                .toList();
        assertThat(others).as("the others are still held: " + way).hasSize(5 - done.size());
        assertThat(claim.complete(others).isComplete()).isTrue();
        try (Connection elsewhere = database().dataSource().getConnection()) {
            assertThat(Sql.on(elsewhere)
                            .numbers("SELECT id FROM " + rows.table() + " WHERE done_at IS NOT NULL ORDER BY id"))
                    .as("it is committed: " + way)
                    .isEqualTo(FrozenRow.OTHERS);
        }
        claim.close();
        assertThat(rows.claims(here(), side).build().claim(6).keys())
                .as("it was released: " + way)
                .containsExactly(RowKey.of(FrozenRow.FROZEN));
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(String what, ThrowingCallable call) {
        AbstractThrowableAssert<?, ?> refused =
                assertThatThrownBy(call).as(what).isInstanceOf(DatabaseFailureException.class);
        refused.message().doesNotContainIgnoringCase("unknown", "locks the table", "no answer");
        return refused;
    }

    @Test
    void aRefusedClaimSaysWhyAndLeavesNothingBehind() throws Exception {
        String condition = "NEW.id = 3 AND NEW.token IS NOT NULL";
        for (int i = 0; i < database().refusals("#", "UPDATE", condition).size(); i++) {
            String table = table("id bigint NOT NULL PRIMARY KEY, token varchar(40), done_at bigint");
            sql().run("INSERT INTO " + table + " (id) VALUES (1), (2), (3), (4)");
            for (String statement :
                    database().refusals(table, "UPDATE", condition).get(i)) {
                sql().run(statement);
            }
            RowClaims<RowKey> claims = dibs().claims(table)
                    .key("id")
                    .token("token")
                    .where("done_at IS NULL")
                    .orderBy("id")
                    .build();
            FaultyDataSource watched = new FaultyDataSource(pool());
            String marked = "SELECT count(*) FROM " + table + " WHERE token IS NOT NULL";
            try (Claim<RowKey> claim = claims.claim(4)) {
                assertThat(claim.keys()).as("what a trigger has kept").containsExactly(RowKey.of(1), RowKey.of(2));
                assertThat(sql().numbers(marked)).containsExactly(2L);
            } catch (DatabaseFailureException e) {
                assertThat(e).hasMessageContaining(REASON).message().doesNotContainIgnoringCase("unknown");
            }
            assertThat(sql().numbers(marked)).containsExactly(0L);
            assertThat(watched.struck()).isEmpty();
        }
    }

    /** Makes one of the triggers on a table of Dibs; returns whether there is such a trigger. */
    private boolean refuse(String table, String event, String condition) throws SQLException {
        List<List<String>> triggers = database().refusals(table, event, condition);
        for (String statement : triggers.isEmpty() ? List.<String>of() : triggers.get(0)) {
            sql().run(statement);
        }
        return !triggers.isEmpty();
    }

    @Test
    void aRefusedTokenIsNotUsed() throws Exception {
        String prefix = ownPrefix();
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema();
        OneTimeTokens tokens = dibs.tokens("reset").pepper(new byte[32]);
        String token = tokens.issue("ann", LONG);
        String code = tokens.issueCode("bob", LONG, 8);
        Assumptions.assumeTrue(refuse(
                prefix + "token",
                "UPDATE",
                "NEW.used_at IS NOT NULL AND (NEW.attempt = 'refused' OR NEW.subject = 'bob')"));
        assertRefused("consume", () -> tokens.consume(token, "refused")).hasMessageContaining(REASON);
        assertThat(tokens.peek(token).status()).isEqualTo(TokenStatus.OK);
        assertRefused("consumeCode", () -> tokens.consumeCode("bob", code)).hasMessageContaining(REASON);
        assertThat(sql().numbers("SELECT count(*) FROM " + prefix + "token WHERE used_at IS NOT NULL"))
                .containsExactly(0L);
        assertThat(tokens.consume(token, "fine").isOk()).isTrue();
    }

    @Test
    void aRefusedNewTokenIsToldAtOnce() throws Exception {
        String prefix = ownPrefix();
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema();
        Assumptions.assumeTrue(refuse(prefix + "token", "INSERT", "NEW.subject = 'ann'"));
        OneTimeTokens tokens = dibs.tokens("reset").pepper(new byte[32]);
        assertRefused("issue", () -> tokens.issue("ann", LONG)).hasMessageContaining(REASON);
        assertRefused("issue with an id", () -> tokens.issue("ann", LONG, null, "id"))
                .hasMessageContaining(REASON);
        assertRefused("issueCode", () -> tokens.issueCode("ann", LONG, 8)).hasMessageContaining(REASON);
        assertRefused("one per subject", () -> tokens.onePerSubject().issue("ann", LONG))
                .hasMessageContaining(REASON);
        assertThat(tokens.list("ann")).isEmpty();
    }

    @Test
    void aRefusedOutcomeOfOnceIsToldAtOnce() throws Exception {
        String prefix = ownPrefix();
        FaultyDataSource watched = new FaultyDataSource(pool());
        Dibs dibs = dibs(watched, prefix);
        dibs.admin().createSchema();
        Assumptions.assumeTrue(refuse(prefix + "once", "UPDATE", "NEW.succeeded_at IS NOT NULL"));
        watched.on(sql -> sql.contains("duration_ms") && !sql.contains("read_at"))
                .always()
                .delayBefore(Duration.ZERO);
        assertRefused("once", () -> {
                    OnceOutcome unused =
                            dibs.once("nightly").every(Duration.ofDays(1)).tryRun(lease -> {});
                })
                .hasMessageContainingAll("was done, but that could not be recorded", REASON);
        assertThat(watched.struck()).hasSizeLessThan(3);
    }

    /** Also by a caller that would wait: it never gets better. */
    @Test
    void aRefusedAcquireIsToldAtOnce() throws Exception {
        String prefix = ownPrefix();
        FaultyDataSource watched = new FaultyDataSource(pool());
        Dibs dibs = dibs(watched, prefix);
        dibs.admin().createSchema();
        dibs.lock("known").tryAcquire().orElseThrow().close();
        Assumptions.assumeTrue(refuse(prefix + "lock", "INSERT", "NEW.name <> 'known'"));
        // Not the releases in the background, which come when they like.
        watched.on(sql -> sql.contains("INTO " + prefix + "lock") && !sql.contains("AS pair"))
                .always()
                .delayBefore(Duration.ZERO);
        assertRefused("acquire", () -> dibs.lock("new").acquire(LONG)).hasMessageContaining(REASON);
        assertThat(watched.struck()).hasSizeLessThan(3);
        assertThat(dibs.admin().locks()).isEmpty();
        assertThat(dibs.lock("known").tryAcquire()).isPresent();
    }

    /** The work gets the database's own error, and nothing is committed. */
    @Test
    void anAnswerToAStatementPassesToTheWork() throws Exception {
        String table = table("num int");
        Assumptions.assumeTrue(refuse(table, "INSERT", "NEW.num = 3"));
        TransactionWork<SQLException> work = tx -> Sql.on(tx)
                .run("INSERT INTO " + table + " (num) VALUES (1)", "INSERT INTO " + table + " (num) VALUES (3)");
        try (Lease lease = here().lock(fresh("lease")).acquire(LONG)) {
            assertThatThrownBy(() -> lease.inTransaction(pool(), work))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining(REASON);
        }
        assertThatThrownBy(() -> here().lock(fresh("lock")).inTransaction(pool(), LONG, work))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(REASON);
        assertThat(sql().numbers("SELECT count(*) FROM " + table)).containsExactly(0L);
    }

    /** A COMMIT is undone by few errors; any other one may have come after it. */
    @Test
    void anAnswerToACommitIsUndoneOnlyByFewErrors() throws Exception {
        String undone = "was rolled back by the database at its commit; nothing was committed";
        String open = "may have happened; look in your tables";
        assertCommit("23503", 0, undone);
        assertCommit("40001", 0, undone);
        assertCommit("40003", 0, open);
        assertCommit("45000", 1644, open);
        assertCommit("53100", 1021, open);
        assertCommit("HY000", 1180, open);
        assertCommit("08006", 0, open);
    }

    private void assertCommit(String state, int code, String told) {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Lease lease = here().lock(fresh("commit")).acquire(LONG)) {
            faulty.on("COMMIT"::equals).always().fail(state, code);
            assertThatThrownBy(() -> lease.inTransaction(faulty, tx -> {}))
                    .as(state)
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContainingAll(told, "planted failure");
        }
        assertThatThrownBy(() -> here().lock(fresh("commit")).inTransaction(faulty, LONG, tx -> {}))
                .as(state)
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContainingAll(told, "planted failure");
    }

    /** Really deferred. */
    @Test
    void aDeferredConstraintIsToldAtTheCommit() throws Exception {
        String table = prefix() + "own";
        String deferred = database().deferredForeignKey();
        Assumptions.assumeFalse(deferred.isEmpty(), "no constraint is deferred here");
        sql().run("CREATE TABLE " + table + " (id bigint NOT NULL PRIMARY KEY, parent bigint REFERENCES " + table
                + " (id) " + deferred + ")");
        closing(() -> sql().run("DROP TABLE " + table));
        HikariDataSource strict = closing(database().pool(database()::enforceForeignKeys));
        assertThatThrownBy(() -> here().lock(fresh("deferred"))
                        .inTransaction(
                                strict,
                                LONG,
                                tx -> Sql.on(tx).run("INSERT INTO " + table + " (id, parent) VALUES (1, 2)")))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("was rolled back by the database at its commit; nothing was committed");
        assertThat(sql().numbers("SELECT count(*) FROM " + table)).containsExactly(0L);
    }

    @Test
    void aFullDiskIsToldAndLosesNothing() throws Exception {
        String full = database().fullDisk();
        Assumptions.assumeFalse(full.isEmpty(), "no setting makes it full");
        HikariDataSource small = closing(database().pool(config -> config.setConnectionInitSql(full)));
        Dibs dibs = dibs(small);
        OneTimeTokens tokens = dibs.tokens(fresh("full"));
        assertThatThrownBy(() -> {
                    while (true) {
                        tokens.issue("ann", LONG, "x".repeat(1_000));
                    }
                })
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContainingAll("full", "refuses it for now");
        long issued = tokens.list("ann").size();
        assertThat(here().tokens(tokens.purpose()).issue("ann", LONG)).isNotEmpty();
        assertThat(tokens.list("ann")).hasSize(Math.toIntExact(issued) + 1);
    }
}
