package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.database.FullRun;
import dev.dibs.database.TestDatabase;
import dev.dibs.fault.ChildJvm;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The lists of docs/once.md under load: they go out of date while fifty visitors ask two nodes for them, over HTTP. */
@Tag("flow")
@Timeout(120)
@FullRun
abstract class BestSellersFlow {

    private static final int VISITORS = 50;
    private static final int PAUSE_MILLIS = 100;
    private static final int WARM_UP_MILLIS = 3_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> PATHS = List.of("/shared", "/plain");

    @TempDir
    private Path directory;

    private final HttpClient browser =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final List<ChildJvm> nodes = new ArrayList<>();
    private final List<String> urls = new ArrayList<>();
    private HikariDataSource pool;

    /** What one visitor has waited for, in milliseconds, and how many pages of it were old. */
    private record Visit(List<Double> waits, int old) {}

    @BeforeEach
    void start(TestDatabase database) throws Exception {
        pool = database.pool(config -> config.setMaximumPoolSize(2));
        execute("CREATE TABLE list (name varchar(200) PRIMARY KEY, body varchar(1000))");
        execute("CREATE TABLE made (name varchar(200))");
        try (Dibs dibs = Dibs.on(pool)) {
            dibs.createSchema();
        }
        for (String node : List.of("a", "b")) {
            nodes.add(ChildJvm.start(
                    BestSellersNode.class,
                    database.url(),
                    database.user(),
                    database.password(),
                    directory.resolve(node).toString(),
                    "best-sellers-" + ProcessHandle.current().pid()));
        }
        for (ChildJvm node : nodes) {
            urls.add(node.awaitLine(line -> line.startsWith("READY"), PATIENCE).substring("READY ".length()));
        }
    }

    @AfterEach
    void stop() throws Exception {
        nodes.forEach(ChildJvm::close);
        execute("DROP TABLE list");
        execute("DROP TABLE made");
        pool.close();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<String> made() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT name FROM made")) {
            List<String> names = new ArrayList<>();
            while (row.next()) {
                names.add(row.getString(1));
            }
            return names;
        }
    }

    private String get(int node, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(urls.get(node) + path))
                .timeout(PATIENCE)
                .build();
        return browser.send(request, BodyHandlers.ofString()).body();
    }

    @Test
    void oneMakesTheListAnewAndNobodyElseWaits() throws Exception {
        for (String path : PATHS) {
            assertThat(get(0, path)).as("whoever is first has to wait").isEqualTo("list 1");
            assertThat(get(1, path)).as("the other node has it too").isEqualTo("list 1");
        }
        List<Visit> visits = visits();
        assertThat(made())
                .as("both lists, twice: at first, and when they were out of date")
                .hasSize(4);
        int old = visits.stream().mapToInt(Visit::old).sum();
        assertThat(old).as("pages with the old list").isGreaterThan(VISITORS);
        for (ChildJvm node : nodes) {
            node.send("report");
            String report = node.awaitLine(line -> line.startsWith("WAITED"), PATIENCE);
            String[] words = report.split(" ", -1);
            for (int path = 0; path < PATHS.size(); path++) {
                String[] waits = Arrays.copyOfRange(words, 1 + path * 4, 5 + path * 4);
                System.out.printf(
                        Locale.ROOT,
                        "%s%s: %s visitors were kept %s ms (p99), %s ms (longest), %s of them over 50 ms%n",
                        urls.get(nodes.indexOf(node)),
                        PATHS.get(path),
                        waits[0],
                        waits[1],
                        waits[2],
                        waits[3]);
                assertThat(Double.parseDouble(waits[2]))
                        .as("a machine may be slow, but nobody has waited for the list")
                        .isLessThan(BestSellersNode.MAKING_MILLIS / 2.0);
            }
        }
    }

    /** What it was like while the machine was still loading classes. */
    private void forget() throws InterruptedException {
        for (ChildJvm node : nodes) {
            node.send("forget");
            node.awaitLine("FORGOTTEN"::equals, PATIENCE);
        }
    }

    /** Until all of them have seen the new lists on both nodes. */
    private List<Visit> visits() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(VISITORS);
        try {
            CompletionService<Visit> visitors = new ExecutorCompletionService<>(threads);
            for (int visitor = 0; visitor < VISITORS; visitor++) {
                int first = visitor;
                visitors.submit(() -> visit(first));
            }
            Thread.sleep(WARM_UP_MILLIS);
            forget();
            List<Visit> visits = new ArrayList<>();
            while (visits.size() < VISITORS) {
                visits.add(visitors.take().get());
            }
            List<Double> waits = visits.stream()
                    .flatMap(visit -> visit.waits().stream())
                    .sorted()
                    .toList();
            System.out.printf(
                    Locale.ROOT,
                    "By the visitors' clocks: %d pages, p50 %.1f ms, p99 %.1f ms%n",
                    waits.size(),
                    waits.get(waits.size() / 2),
                    waits.get(waits.size() * 99 / 100));
            return visits;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Each page by the other node and, every second time, of the other kind. */
    private Visit visit(int first) throws Exception {
        List<Double> waits = new ArrayList<>();
        List<Boolean> isNew = new ArrayList<>(List.of(false, false));
        int old = 0;
        int after = 0;
        for (int page = first; after < 10; page++) {
            int path = page / 2 % 2;
            long start = System.nanoTime();
            String list = get(page % 2, PATHS.get(path));
            waits.add((System.nanoTime() - start) / 1e6);
            assertThat(list).isIn(isNew.get(path) ? List.of("list 2") : List.of("list 1", "list 2"));
            isNew.set(path, list.equals("list 2"));
            old += list.equals("list 1") ? 1 : 0;
            after += isNew.get(0) && isNew.get(1) ? 1 : 0;
            Thread.sleep(PAUSE_MILLIS);
        }
        return new Visit(waits, old);
    }
}
