package dev.dibs.console;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.junit.Closing;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The database is away, and the pool needs some time to report it. */
@Tag("unit")
@Timeout(300)
class AwayTest extends Closing {

    private static final Duration PATIENCE = Duration.ofMillis(100);
    private static final String NO_ANSWER = "Not done: the database does not answer";

    private final JdbcConnectionPool pool =
            JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
    private final FaultyDataSource dataSource = new FaultyDataSource(pool);
    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicLong nanos = new AtomicLong();
    private Dibs dibs;
    private Pages pages;

    @BeforeEach
    void open() {
        closing(pool::dispose);
        dibs = closing(Dibs.on(dataSource));
        closing(gate::countDown);
        dibs.admin().createSchema();
        pages = new Pages(new Snapshot(dibs, nanos::get, PATIENCE));
    }

    private Answer look(String page) {
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        PageRequest.Who who = new PageRequest.Who("ann", "127.0.0.1", false);
        return pages.get(
                new PageRequest(page, Map.of(), Map.of(), who, false, false, "", Optional.empty(), Optional.empty()));
    }

    @Test
    void theOverviewShowsOldDataWithItsAge() {
        try (Lease lease = dibs.lock("a").acquire(Duration.ofSeconds(5))) {
            lease.check();
            assertThat(look("").body()).contains("<strong>1</strong> held").doesNotContain("not up to date");
            dataSource.exhaustUntil(gate);
            assertThat(look("").body()).contains("<strong>1</strong> held", "This is not up to date");
            // Only now the pool reports it.
            gate.countDown();
            Awaitility.await()
                    .untilAsserted(() -> assertThat(look("metrics").body())
                            .contains("dibs_leases_held 1.0")
                            .doesNotContain("dibs_held{"));
            dataSource.heal();
        }
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .untilAsserted(() -> assertThat(look("").body())
                        .contains("<strong>0</strong> held")
                        .doesNotContain("not up to date"));
    }

    @Test
    void aPageWithoutDataSaysSoAndReloads() {
        dataSource.exhaust(Duration.ofMillis(100));
        Answer away = look("");
        assertThat(away.status()).isEqualTo(503);
        assertThat(away.body())
                .contains("The database is not available", "data-live", "<nav", "http-equiv=\"refresh\"");
        dataSource.heal();
        Awaitility.await().untilAsserted(() -> assertThat(look("").status()).isEqualTo(200));
    }

    private Message press(String button, String kind, String name) {
        return press(pages, button, kind, name);
    }

    private static Message press(Pages pages, String button, String kind, String name) {
        PageRequest.Who admin = new PageRequest.Who("ann", "127.0.0.1", true);
        Map<String, String> query = Map.of("kind", kind, "name", name);
        return pages.actions()
                .press(new PageRequest(
                        button, query, Map.of(), admin, false, false, "x", Optional.empty(), Optional.empty()))
                .message();
    }

    @Test
    void aTimedOutButtonHasNoLateEffect() {
        try (Lease lease = dibs.lock("a").acquire(Duration.ofSeconds(5))) {
            dataSource.exhaustUntil(gate);
            Message message = press("break", "lock", "a");
            assertThat(message.good()).isFalse();
            assertThat(message.text()).startsWith(NO_ANSWER);
            gate.countDown();
            dataSource.heal();
            // The console's threads have finished when the first one has its answer from the pool.
            pages.close();
            assertThat(dibs.lock("a").tryAcquire()).isEmpty();
            lease.check();
        }
    }

    /** The statement was run, and the visitor must not read that it was not. */
    @Test
    void aButtonWhoseAnswerIsLostSaysThatItIsUnknown() {
        Pages patient = new Pages(new Snapshot(dibs, nanos::get, Duration.ofMinutes(1)));
        try (Lease lease = dibs.lock("c").acquire(Duration.ofSeconds(5))) {
            dataSource
                    .on(sql -> Thread.currentThread().getName().equals("dibs-console") && sql.contains("SET "))
                    .loseAnswer();
            Message message = press(patient, "break", "lock", "c");
            assertThat(message.good()).isFalse();
            assertThat(message.text())
                    .startsWith("Not confirmed: ")
                    .contains("It is unknown whether it took effect. Try again")
                    .doesNotContain("background");
            assertThat(lease.name()).isEqualTo("c");
        } finally {
            patient.close();
        }
    }

    @Test
    void aStartedActionHasAnUnknownOutcomeAndIsCompletedLater() {
        try (Lease lease = dibs.lock("b").acquire(Duration.ofSeconds(5))) {
            dataSource
                    .on(sql -> Thread.currentThread().getName().equals("dibs-console"))
                    .holdBefore(gate);
            // On a busy machine it may not begin in time, and then it is never done.
            Message message = Awaitility.await()
                    .until(
                            () -> press("break", "lock", "b"),
                            pressed -> !pressed.text().startsWith(NO_ANSWER));
            assertThat(message.good()).isFalse();
            assertThat(message.text()).startsWith("It is unknown yet whether this is done");
            gate.countDown();
            Awaitility.await()
                    .atMost(1, TimeUnit.MINUTES)
                    .until(() -> dibs.admin().leases().isEmpty());
            assertThat(lease.name()).isEqualTo("b");
        }
    }

    @Test
    void aPageWaitsTwoSecondsAtMost() {
        long left = new Snapshot(dibs, nanos::get).begin().left(true);
        assertThat(Duration.ofNanos(left)).isLessThanOrEqualTo(Duration.ofSeconds(2));
    }
}
