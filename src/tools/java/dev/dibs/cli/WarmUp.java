package dev.dibs.cli;

import dev.dibs.cli.database.Drivers;
import dev.dibs.cli.database.EmbeddedDatabase;
import dev.dibs.cli.database.Pool;
import dev.dibs.cli.database.Target;
import dev.dibs.cli.process.SignalRelay;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.logging.LogManager;

/**
 * Uses the command for a moment, so that the JVM can archive the classes that it loads. The launcher runs it in the background. It works
 * on a database in memory, and calls no other one.
 */
final class WarmUp {

    private static final String DATABASE = "jdbc:h2:mem:warm";

    /** Nobody listens there. A driver loads many of its classes before it notices. */
    private static final List<String> NOWHERE = List.of(
            "jdbc:postgresql://127.0.0.1:1/x",
            "jdbc:mariadb://127.0.0.1:1/x",
            "jdbc:sqlserver://127.0.0.1:1;encrypt=false;loginTimeout=1");

    private WarmUp() {}

    /** Takes no arguments. */
    public static void main(String[] arguments) throws SQLException {
        SignalRelay.endInOrder();
        LogManager.getLogManager().reset();
        EmbeddedDatabase.configure();
        NOWHERE.forEach(WarmUp::connect);
        Target target = new Target(DATABASE, "sa", "", null, null);
        // The database lasts as long as this connection.
        try (Pool pool = Pool.open(target, 1)) {
            for (String words : List.of(
                    "init",
                    "lock x -- true",
                    "lock x --wait 1 -- true",
                    "locks",
                    "once x --every 1h -- true",
                    "break x")) {
                run(words.split(" ", -1));
            }
        }
    }

    private static void run(String... words) {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        Main.commandLine(Map.of("DIBS_URL", DATABASE, "DIBS_USER", "sa"), InputStream.nullInputStream(), words)
                .setOut(nowhere)
                .setErr(nowhere)
                .execute(words);
    }

    private static void connect(String url) {
        try {
            Driver driver = Drivers.find(url, null);
            driver.connect(url, new Properties()).close();
        } catch (SQLException | RuntimeException e) {
            // As expected.
        }
    }
}
