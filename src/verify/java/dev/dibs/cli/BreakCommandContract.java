package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A break of a lock that no lease has. */
@OnEachDatabase(PostgresDatabase.class)
@Tag("flow")
class BreakCommandContract implements DatabaseUser {

    private TestDatabase database;

    @Override
    public void use(TestDatabase given) {
        database = given;
    }

    @Test
    void aTransactionThatHasTheLockIsNamed() throws Exception {
        Cli cli = Cli.on(database.url(), database.user(), database.password());
        cli.ok("init", "--only", "locks");
        String name = "sold-" + System.nanoTime();
        DriverDataSource own = new DriverDataSource(database.url(), database.user(), database.password());
        try (Dibs dibs = Dibs.on(own)) {
            dibs.lock(name).inTransaction(own, tx -> {
                Cli.Outcome answer = cli.run("break", name);
                assertThat(answer.exitCode()).isEqualTo(1);
                assertThat(answer.out()).startsWith("nobody has '" + name + "' by a lease, but a transaction of pid ");
                assertThat(cli.run("break", name, "--semaphore").out()).doesNotContain("transaction");
            });
            assertThat(cli.run("break", name).out()).isEqualToIgnoringNewLines("nobody has '" + name + "'");
        }
    }
}
