package dev.dibs.server;

import dev.dibs.Dibs;
import dev.dibs.database.H2Database;
import dev.dibs.database.TestDatabases;
import dev.dibs.junit.Closing;
import java.net.URI;
import org.junit.jupiter.api.BeforeEach;

/** A console's server over an H2, started anew for each test. */
abstract class ServedConsole extends Closing {

    Dibs dibs;
    ConsoleServer server;

    @BeforeEach
    final void startServer() throws Exception {
        dibs = closing(
                Dibs.on(closing(TestDatabases.get(H2Database.class).pool(config -> config.setMaximumPoolSize(4)))));
        dibs.admin().createSchema();
        server = closing(ConsoleServer.start(dibs, 0, "ann@here", true, ""));
    }

    final int port() {
        return URI.create(server.address()).getPort();
    }
}
