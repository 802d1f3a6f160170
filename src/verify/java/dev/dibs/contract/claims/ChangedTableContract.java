package dev.dibs.contract.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.runs.RunWorkers.End;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** A column is added to a table while its rows are claimed, and connections have prepared the statements before. */
@OnEachDatabase
class ChangedTableContract extends ContractFixture {

    /** More than a driver needs to prepare a statement on the server. */
    private static final int OFTEN = 8;

    @Test
    void claimsGoOnAfterAColumnWasAdded() throws SQLException {
        Jobs jobs = jobs(300);
        Dibs dibs = closing(Dibs.on(closing(database().pool(config -> config.setMaximumPoolSize(2)))));
        RowClaims<RowKey> claims = jobs.claims(dibs).build();
        for (int round = 0; round < 3; round++) {
            Claim<RowKey> claim = claims.claim(1);
            for (int i = 0; i < OFTEN; i++) {
                NextClaim<RowKey> next = claim.completeAndClaim(1);
                assertThat(next.completed().isComplete()).isTrue();
                claim.close();
                claim = next.next();
                assertThat(claim.size()).isOne();
            }
            claim.close();
            jobs.run("ALTER TABLE " + jobs.table() + " ADD added_" + round + " int");
        }
    }

    @Test
    void runGoesOnAfterAColumnWasAdded() throws Exception {
        String name = fresh("altered");
        Jobs jobs = jobs(200);
        Warnings warnings = closing(new Warnings(name));
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        doAll(here(), name, claims);
        for (int id = 1_001; id <= 1_200; id++) {
            jobs.add(id);
        }
        jobs.run("ALTER TABLE " + jobs.table() + " ADD added int");
        doAll(here(), name, claims);
        assertThat(jobs.numbers("SELECT count(*) FROM " + jobs.table() + " WHERE done_at = 1"))
                .containsExactly(400L);
        assertThat(warnings.heard()).isEmpty();
    }

    private static void doAll(Dibs dibs, String name, RowClaims<RowKey> claims) throws InterruptedException {
        assertEnds(End.FINISHED, dibs.run(name).over(claims).batch(2).threads(4).work(key -> {}));
    }

    @Test
    void joinedClaimSaysToRunTheTransactionAgain() throws SQLException {
        Jobs jobs = jobs(30);
        Jobs others = jobs(1);
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        try (Connection connection = inTransaction()) {
            for (int i = 0; i < OFTEN; i++) {
                completeOne(claims, connection);
            }
            try (Statement statement = connection.createStatement()) {
                statement.executeQuery("SELECT count(*) FROM " + others.table()).close();
            }
            jobs.run("ALTER TABLE " + jobs.table() + " ADD added int");
            completeOne(claims, connection);
        } catch (DatabaseFailureException e) {
            assertThat(e).hasMessageContaining("Roll back and run the transaction again");
        }
        Connection connection = closing(inTransaction());
        completeOne(claims, connection);
    }

    private Connection inTransaction() throws SQLException {
        Connection connection = pool().getConnection();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        return connection;
    }

    private static void completeOne(RowClaims<RowKey> claims, Connection connection) throws SQLException {
        Claim<RowKey> claim = claims.claim(connection, 1);
        assertThat(claim.complete(connection, claim.keys()).done()).hasSize(1);
        connection.commit();
    }

    /** On PostgreSQL the error has the same SQL state as that of a changed table. */
    @Test
    void buildRefusesUnsupportedClaims() throws SQLException {
        Jobs jobs = jobs(1);
        ClaimsBuilder claims = jobs.claims(here()).where("generate_series(1, 2) = 1");
        assertFails(claims::build, "refuses");
    }
}
