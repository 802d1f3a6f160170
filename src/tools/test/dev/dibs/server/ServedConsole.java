package dev.dibs.server;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.database.H2Database;
import dev.dibs.database.TestDatabases;
import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A console's server over an H2, started anew for each test. */
abstract class ServedConsole {

    private HikariDataSource pool;
    Dibs dibs;
    ConsoleServer server;

    @BeforeEach
    final void startServer() throws Exception {
        pool = TestDatabases.get(H2Database.class).pool(config -> config.setMaximumPoolSize(4));
        dibs = Dibs.on(pool);
        dibs.admin().createSchema();
        server = ConsoleServer.start(dibs, 0, "ann@here", true, "");
    }

    @AfterEach
    final void stopServer() {
        server.close();
        dibs.close();
        pool.close();
    }

    final int port() {
        return URI.create(server.address()).getPort();
    }
}
