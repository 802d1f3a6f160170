package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A column is added to a table while its rows are claimed, and connections have prepared the statements before. */
@Tag("contract")
@OnEachDatabase
class ChangedTableContract extends Fixture {

    /** More than a driver needs to prepare a statement on the server. */
    private static final int OFTEN = 8;

    @Test
    void claimsGoOnAfterAColumnWasAdded() throws SQLException {
        try (Jobs jobs = new Jobs(pool(), 300);
                HikariDataSource pool = database().pool(config -> config.setMaximumPoolSize(2));
                Dibs dibs = Dibs.on(pool)) {
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
    }

    @Test
    void runGoesOnAfterAColumnWasAdded() throws Exception {
        String name = fresh("altered");
        try (Jobs jobs = new Jobs(pool(), 200);
                Warnings warnings = new Warnings(name);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            doAll(dibs, name, claims);
            for (int id = 1_001; id <= 1_200; id++) {
                jobs.add(id);
            }
            jobs.run("ALTER TABLE " + jobs.table() + " ADD added int");
            doAll(dibs, name, claims);
            assertThat(jobs.numbers("SELECT count(*) FROM " + jobs.table() + " WHERE done_at = 1"))
                    .containsExactly(400L);
            assertThat(warnings.heard()).isEmpty();
        }
    }

    private static void doAll(Dibs dibs, String name, RowClaims<RowKey> claims) throws InterruptedException {
        try (RunWorkers<RowKey> workers =
                dibs.run(name).over(claims).batch(2).threads(4).work(key -> {})) {
            workers.start();
            assertThat(workers.await()).isEqualTo(RunWorkers.End.FINISHED);
        }
    }

    @Test
    void joinedClaimSaysToRunTheTransactionAgain() throws SQLException {
        try (Jobs jobs = new Jobs(pool(), 30);
                Jobs others = new Jobs(pool(), 1);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            try (Connection connection = inTransaction()) {
                for (int i = 0; i < OFTEN; i++) {
                    completeOne(claims, connection);
                }
                try (Statement statement = connection.createStatement()) {
                    statement
                            .executeQuery("SELECT count(*) FROM " + others.table())
                            .close();
                }
                jobs.run("ALTER TABLE " + jobs.table() + " ADD added int");
                completeOne(claims, connection);
            } catch (DatabaseFailureException e) {
                assertThat(e).hasMessageContaining("Roll back and run the transaction again");
            }
            try (Connection connection = inTransaction()) {
                completeOne(claims, connection);
            }
        }
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
        try (Jobs jobs = new Jobs(pool(), 1);
                Dibs dibs = dibs()) {
            ClaimsBuilder claims = jobs.claims(dibs).where("generate_series(1, 2) = 1");
            assertThatThrownBy(claims::build)
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("refuses");
        }
    }
}
