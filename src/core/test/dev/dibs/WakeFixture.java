package dev.dibs;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.UsesDatabase;
import dev.dibs.junit.Closing;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;

/** An instance on PostgreSQL that holds locks, for tests of the callers that wait for them. */
@UsesDatabase(PostgresDatabase.class)
abstract class WakeFixture extends Closing {

    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Longer than any test, since a waiter asks once more when its time is up. */
    static final Duration LONG = Duration.ofHours(1);

    TestDatabase database;
    HikariDataSource pool;
    WakeServer server;
    Dibs holder;

    @BeforeEach
    final void openHolder(TestDatabase postgres) {
        database = postgres;
        pool = closing(database.pool(config -> config.setMaximumPoolSize(10)));
        server = new WakeServer(pool);
        holder = closing(Dibs.builder(pool).leaseLength(Duration.ofHours(2)).build());
        holder.admin().createSchema();
    }
}
