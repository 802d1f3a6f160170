package dev.dibs.contract.connections;

import dev.dibs.Dibs;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.H2Database;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.Sql;
import dev.dibs.runs.RunWorkers;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;

/** H2 as if it were another database: the time moves on in a transaction in some of these modes. */
@OnEachDatabase(H2Database.class)
class H2ModeContract extends ContractFixture {

    @Test
    void aRunMayBeginWithAHarmlessText() throws Exception {
        for (String mode : new String[] {
            "Regular",
            "Strict",
            "Legacy",
            "DB2",
            "Derby",
            "HSQLDB",
            "MSSQLServer",
            "MariaDB",
            "MySQL",
            "Oracle",
            "PostgreSQL"
        }) {
            JdbcConnectionPool pool = JdbcConnectionPool.create(
                    "jdbc:h2:mem:" + fresh(mode) + ";DB_CLOSE_DELAY=-1;MODE=" + mode, "sa", "");
            closing(pool::dispose);
            Dibs dibs = dibs(pool);
            dibs.admin().createSchema();
            Jobs jobs = closing(new Jobs(pool, 1));
            RunWorkers<?> workers = dibs.run(mode)
                    .over(jobs.claims(dibs).build())
                    .maxAttempts(1)
                    .workInTransaction((key, tx) -> {
                        Sql.on(tx).run("SET @harmless = 1");
                        jobs.effect(tx, key.asLong());
                    });
            assertThat(workers.start().await(LONG)).isTrue();
            assertThat(dibs.run(mode).dead(1)).as(mode).isEmpty();
            assertThat(jobs.done()).as(mode).hasSize(1);
        }
    }
}
