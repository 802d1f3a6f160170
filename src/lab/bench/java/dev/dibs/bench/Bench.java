package dev.dibs.bench;

import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Runs all parts and writes their tables. The argument is the project's directory. */
final class Bench {
    private static final List<String> DATABASES = List.of("postgresql", "h2", "mariadb", "sqlite");
    /** {@code docs/lab/performance.md} is written by hand, and quotes from it. */
    private static final String TABLES = "target/performance-tables.md";

    private static final Pattern VERSION = Pattern.compile("[0-9]+(\\.[0-9]+)*");

    private final Settings settings = Settings.fromSystem();
    private final Report report = new Report();

    private Bench() {}

    /** A strong reference, or the setting would be lost. Missing tables and fsync switched off are no news here. */
    private static final Logger LOG = Logger.getLogger("dev.dibs");

    private interface Part {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        LOG.setLevel(Level.SEVERE);
        new Bench().run(Path.of(args[0]));
        // Servers end by their shutdown hooks.
        System.exit(0);
    }

    private void run(Path project) throws Exception {
        part("cost", () -> new CostBench(report).run());
        part("locks", () -> new LockBench(settings, report).run());
        part("transaction", () -> new TransactionBench(settings, report).run());
        part("smallpool", () -> new SmallPoolBench(settings, report).run());
        part("many", () -> new ManyBench(settings, report).run());
        part("wake", () -> new WakeBench(settings, report).run());
        Path charts = project.resolve(settings.isComplete() ? "docs/lab" : "target");
        part("runs", () -> new RunBench(settings, report, charts).run());
        part("queue", () -> new QueueBench(settings, report).run());
        part("perkey", () -> new PerKeyBench(settings, report).run());
        part("waiting", () -> new WaitingBench(settings, report).run());
        part("tokens", () -> new TokenBench(settings, report).run());
        System.out.println(report.targets());
        Files.createDirectories(project.resolve("target"));
        Files.writeString(project.resolve(TABLES), report.page(introduction(project)));
        System.out.println("Written: " + TABLES);
    }

    private void part(String name, Part part) throws Exception {
        if (settings.wants(name)) {
            part.run();
        }
    }

    private static String introduction(Path project) throws Exception {
        return """
                # Performance: the tables

                Written by `mvn -Pbench verify` on %s at commit %s, all of it by one run. docs/lab/performance.md
                explains it. What counts are the ratios: both sides of each were measured in turn, many times. Absolute
                figures are those of one machine on one day.

                - Machine: %s
                - Software: %s
                """.formatted(LocalDate.now(ZoneOffset.UTC), commit(project), machine(), software());
    }

    private static String commit(Path project) throws IOException, InterruptedException {
        Process git = new ProcessBuilder("git", "rev-parse", "--short=7", "HEAD")
                .directory(project.toFile())
                .start();
        String commit = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return git.waitFor() == 0 ? commit : "unknown";
    }

    private static String machine() throws IOException {
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        return system.getAvailableProcessors() + " processors (" + processor() + "), " + system.getName();
    }

    private static String processor() throws IOException {
        Path information = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(information)) {
            return System.getProperty("os.arch");
        }
        return Files.readAllLines(information).stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).trim())
                .findFirst()
                .orElse(System.getProperty("os.arch"));
    }

    private static String software() throws SQLException {
        List<String> versions = new ArrayList<>();
        versions.add("Java " + version(Runtime.version().toString()));
        for (TestDatabase database : TestDatabases.all()) {
            if (DATABASES.contains(database.name()) && database.available()) {
                try (Connection connection = database.dataSource().getConnection()) {
                    DatabaseMetaData data = connection.getMetaData();
                    versions.add(data.getDatabaseProductName() + " " + version(data.getDatabaseProductVersion())
                            + " (driver " + version(data.getDriverVersion()) + ")");
                }
            }
        }
        return String.join(", ", versions);
    }

    /** Without the words around it. */
    private static String version(String text) {
        return VERSION.matcher(text)
                .results()
                .map(MatchResult::group)
                .findFirst()
                .orElse(text);
    }
}
