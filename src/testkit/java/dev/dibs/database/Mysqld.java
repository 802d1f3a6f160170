package dev.dibs.database;

import dev.dibs.process.Leash;
import dev.dibs.process.Shell;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** The server process of MariaDB or MySQL on an existing data directory. */
final class Mysqld {
    static final String USER = "dibs";
    private static final Pattern ENTRY = Pattern.compile("^\\d{4}-\\d\\d-\\d\\d[ T]");
    private static final Pattern COMPLAINT = Pattern.compile("\\[(Warning|ERROR)\\]");
    private static final long PATIENCE_NANOS = 180_000_000_000L;
    private static final String FAILED_STATEMENTS = "SELECT coalesce(digest_text, '(not parsed)'), sum(sum_errors)"
            + " FROM performance_schema.events_statements_summary_by_digest"
            + " WHERE sum_errors > 0 AND schema_name = database() GROUP BY 1";

    private final List<String> command = new ArrayList<>();
    private final Path home;
    private final int port = Workspace.freePort();
    private Process process;
    private Leash leash;

    /**
     * @param home has the data directory, gets the log
     * @param program the executable and the options of this product
     */
    Mysqld(Path home, List<String> program) throws IOException {
        this.home = home;
        command.add(program.get(0));
        command.add("--no-defaults");
        command.addAll(program.subList(1, program.size()));
        command.addAll(common());
        if (Shell.asRoot()) {
            command.add("--user=root");
        }
        Files.createDirectories(home.resolve("tmp"));
        Files.writeString(home.resolve("init.sql"), """
                CREATE DATABASE IF NOT EXISTS dibs;
                CREATE USER IF NOT EXISTS dibs@'%';
                GRANT ALL ON *.* TO dibs@'%' WITH GRANT OPTION;
                """);
    }

    private List<String> common() {
        return List.of(
                "--datadir=" + home.resolve("data"),
                "--tmpdir=" + home.resolve("tmp"),
                "--init-file=" + home.resolve("init.sql"),
                "--port=" + port,
                "--bind-address=127.0.0.1",
                // Relative to the data directory: the whole path would be too long for a socket.
                "--socket=s",
                "--skip-name-resolve",
                "--max-connections=500",
                "--innodb-flush-log-at-trx-commit=1",
                // A test that drops a table which somebody still uses fails, in place of waiting for a year.
                "--lock-wait-timeout=60",
                "--innodb-purge-threads=1",
                "--performance-schema=ON",
                // Only statements are counted: the rest takes a tenth of the server's time.
                "--performance-schema-instrument=wait/%=OFF",
                "--performance-schema-instrument=stage/%=OFF",
                "--performance-schema-instrument=memory/%=OFF");
    }

    int port() {
        return port;
    }

    void start(DataSource dataSource) throws Exception {
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(log().toFile()))
                .start();
        leash = Leash.on(process.pid(), "KILL");
        long start = System.nanoTime();
        while (!answers(dataSource)) {
            if (!process.isAlive() || System.nanoTime() - start > PATIENCE_NANOS) {
                leash.kill();
                throw new IOException("The server does not start: " + Files.readString(log()));
            }
            Thread.sleep(20);
        }
    }

    void crash() throws InterruptedException {
        leash.kill();
        process.waitFor();
    }

    /** The log reports only connections and the server itself, so failed statements are taken from its statistics. */
    ErrorLog errorLog(DataSource dataSource) {
        ErrorLog log = ErrorLog.ofFile(log(), ENTRY, COMPLAINT);
        Map<String, Long> before = failedStatements(dataSource);
        return () -> {
            List<String> entries = new ArrayList<>(log.entries());
            failedStatements(dataSource).forEach((sql, times) -> {
                if (times > before.getOrDefault(sql, 0L)) {
                    entries.add("failed: " + sql);
                }
            });
            return entries;
        };
    }

    private Path log() {
        return home.resolve("log");
    }

    private static boolean answers(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return connection.isValid(5);
        } catch (SQLException e) {
            return false;
        }
    }

    private static Map<String, Long> failedStatements(DataSource dataSource) {
        Map<String, Long> failed = new TreeMap<>();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(FAILED_STATEMENTS)) {
            while (rows.next()) {
                failed.put(rows.getString(1), rows.getLong(2));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return failed;
    }
}
