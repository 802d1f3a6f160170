package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import bookshop.BestSellers;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.database.H2Database;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.UsesDatabase;
import dev.dibs.once.Once;
import dev.dibs.once.OnceBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The class of docs/reference/once.md, on two nodes, while its list becomes outdated. */
@Tag("flow")
@Timeout(300)
@UsesDatabase(H2Database.class)
class BestSellersTest {

    /** So short that nearly every visitor makes a node look again. */
    private static final Duration REFRESH = Duration.ofMillis(1);

    private final ForkJoinPool background = new ForkJoinPool(16);
    private final Gates gates = new Gates();
    private final AtomicInteger made = new AtomicInteger();
    private final List<Dibs> opened = new ArrayList<>();
    private HikariDataSource pool;

    @BeforeEach
    void start(TestDatabase database) throws Exception {
        pool = database.pool(config -> config.setMaximumPoolSize(10));
        try (Dibs dibs = Dibs.on(pool)) {
            dibs.admin().createSchema();
        }
        Sql.on(pool).run("CREATE TABLE list (name varchar(200) PRIMARY KEY, body varchar(1000))");
    }

    @AfterEach
    void stop() throws Exception {
        gates.openAll();
        assertThat(background.awaitQuiescence(60, TimeUnit.SECONDS)).isTrue();
        background.shutdown();
        once().forget();
        opened.forEach(Dibs::close);
        Sql.on(pool).run("DROP TABLE list");
        pool.close();
    }

    /** For a node that remembers nothing yet. */
    private OnceBuilder once() {
        Dibs dibs = Dibs.on(pool);
        opened.add(dibs);
        return dibs.once("best-sellers-of-two-nodes");
    }

    private BestSellers node(Callable<String> slowQuery) {
        // A failure is not tried again while a test runs.
        Once once = once().backoff(Duration.ofHours(1), Duration.ofHours(1)).every(Duration.ofDays(30));
        return new BestSellers(once, pool, slowQuery, REFRESH, background);
    }

    private BestSellers node() {
        return node(() -> {
            gates.take("list");
            return "list " + made.incrementAndGet();
        });
    }

    @Test
    void visitorsOfBothNodesSeeTheOldListWhileOneNodeMakesTheNewOne() {
        assertThat(node().list()).isEqualTo("list 1");
        List<BestSellers> nodes = List.of(node(), node());
        assertThat(nodes).as("it is in the table").extracting(BestSellers::list).containsOnly("list 1");

        gates.shut("list");
        assertThat(once().forget()).as("it is out of date").isTrue();
        await().until(() -> {
            assertThat(nodes).extracting(BestSellers::list).containsOnly("list 1");
            return gates.arrived("list") > 0;
        });
        for (int visit = 0; visit < 100; visit++) {
            assertThat(nodes).extracting(BestSellers::list).containsOnly("list 1");
        }
        gates.open("list");
        await().until(() -> nodes.stream().allMatch(node -> node.list().equals("list 2")));
        assertThat(gates.arrived("list")).as("one node has made it").isEqualTo(1);
    }

    @Test
    void whereThereIsNoListYetOneNodeMakesItAndAllWait() {
        gates.shut("list");
        List<BestSellers> nodes = List.of(node(), node());
        List<CompletableFuture<String>> visitors = new ArrayList<>();
        for (int visitor = 0; visitor < 6; visitor++) {
            BestSellers node = nodes.get(visitor % 2);
            visitors.add(CompletableFuture.supplyAsync(node::list, background));
        }
        gates.awaitAt("list", 1);
        assertThat(visitors).noneMatch(CompletableFuture::isDone);
        gates.open("list");
        assertThat(visitors).extracting(CompletableFuture::join).containsOnly("list 1");
        assertThat(gates.arrived("list")).isEqualTo(1);
    }

    @Test
    void visitorsSeeTheOldListAfterAFailureToo() {
        assertThat(node().list()).isEqualTo("list 1");
        AtomicInteger tried = new AtomicInteger();
        BestSellers node = node(() -> {
            tried.incrementAndGet();
            throw new IOException("no list");
        });
        assertThat(node.list()).isEqualTo("list 1");
        assertThat(once().forget()).isTrue();
        Once known = once().every(Duration.ofDays(30));
        await().until(() -> {
            assertThat(node.list()).isEqualTo("list 1");
            return known.info().orElseThrow().failures() == 1;
        });
        for (int visit = 0; visit < 100; visit++) {
            assertThat(node.list()).isEqualTo("list 1");
        }
        assertThat(tried).as("nobody tries it again at once").hasValue(1);
    }
}
