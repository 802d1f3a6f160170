package dev.dibs.contract.once;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.LeaseWork;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Core;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.once.Once;
import dev.dibs.once.OnceBuilder;
import dev.dibs.once.OnceInfo;
import dev.dibs.once.OnceOutcome;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Once a period: work is not done again before it is due, by any process; work that failed is due again. */
@Core
class OnceContract extends ContractFixture {

    static final Duration HOUR = Duration.ofHours(1);

    /** Whether work that does nothing is done. */
    static OnceOutcome ask(Once once) {
        return once.tryRun(lease -> {});
    }

    static OnceInfo info(Dibs dibs, String name) {
        return dibs.admin().onces().stream()
                .filter(once -> once.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** As if the last success were that much longer ago. */
    private void age(String name, Duration by) throws Exception {
        moveBack(pool(), name, "succeeded_at", by);
    }

    static void moveBack(DataSource pool, String name, String column, Duration by) throws SQLException {
        assertThat(Sql.on(pool)
                        .change(
                                "UPDATE dibs_once SET " + column + " = " + column + " - ? WHERE name = ?",
                                by.toMillis(),
                                name))
                .isEqualTo(1);
    }

    @Test
    void onceIsForAllInstances() {
        String name = fresh("once");
        AtomicInteger runs = new AtomicInteger();
        for (Dibs dibs : new Dibs[] {here(), there(), here()}) {
            dibs.once(name).every(HOUR).tryRun(lease -> {
                assertThat(lease.isValid()).isTrue();
                runs.incrementAndGet();
            });
        }
        assertThat(runs).hasValue(1);
        assertThat(ask(there().once(name).every(HOUR))).isEqualTo(OnceOutcome.NOT_DUE);
        assertThat(ask(there().once(name, "other").every(HOUR))).isEqualTo(OnceOutcome.RAN);
        assertThat(there().lock(name).tryAcquire())
                .as("a lock of the same name is another thing")
                .isPresent();
    }

    @Test
    void onceIsDueAPeriodAfterTheLastSuccess() throws Exception {
        String name = fresh("due");
        Duration period = Duration.ofMillis(400);
        Once once = here().once(name).every(period);
        assertThat(ask(once)).isEqualTo(OnceOutcome.RAN);
        Instant first = info(here(), name).lastSuccess().orElseThrow();
        while (once.tryRun(lease -> {}) != OnceOutcome.RAN) {
            Thread.sleep(5);
        }
        Instant second = info(here(), name).lastSuccess().orElseThrow();
        assertThat(Duration.between(first, second)).isBetween(period, SOON);
    }

    @Test
    void aChangedPeriodCountsAtOnce() throws Exception {
        String name = fresh("changed");
        assertThat(ask(here().once(name).every(Duration.ofDays(30)))).isEqualTo(OnceOutcome.RAN);
        age(name, Duration.ofDays(2));
        assertThat(ask(here().once(name).every(Duration.ofDays(30)))).isEqualTo(OnceOutcome.NOT_DUE);
        assertThat(ask(here().once(name).every(Duration.ofDays(1)))).isEqualTo(OnceOutcome.RAN);
    }

    @Test
    void theRunningWorkerIsShownAndOthersReturnAtOnce() throws InterruptedException {
        String name = fresh("busy");
        Dibs here = closing(builder(pool()).holder("node 7").build());
        OnceOutcome outcome = here.once(name).every(HOUR).tryRun(lease -> {
            assertThat(ask(there().once(name).every(HOUR))).isEqualTo(OnceOutcome.BUSY);
            OnceInfo running = info(there(), name);
            assertThat(running.running().orElseThrow().fencingToken()).isEqualTo(lease.fencingToken());
            assertThat(running.holder()).isEqualTo("node 7");
            assertThat(running.lastSuccess()).isEmpty();
            Thread.sleep(50);
        });
        assertThat(outcome).isEqualTo(OnceOutcome.RAN);
        OnceInfo done = info(there(), name);
        assertThat(done.running()).isEmpty();
        assertThat(done.lastSuccess()).isPresent();
        assertThat(done.lastDuration().orElseThrow()).isBetween(Duration.ofMillis(40), SOON);
        assertThat(done.lastFailure()).isEmpty();
    }

    @FullTest(except = "postgresql")
    void aFailureGivesThePeriodBackAfterAPause() throws Exception {
        String name = fresh("failing");
        Duration pause = Duration.ofMinutes(10);
        Once once = here().once(name).backoff(pause, HOUR).every(HOUR);
        assertThatThrownBy(() -> once.tryRun(lease -> {
                    throw new IOException("the disk is full");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("the disk is full");
        OnceInfo failed = info(there(), name);
        assertThat(failed.failures()).isEqualTo(1);
        assertThat(failed.error()).contains("IOException", "the disk is full");
        assertThat(failed.running()).isEmpty();
        assertThat(failed.lastSuccess()).isEmpty();
        assertThat(Duration.between(
                        failed.lastFailure().orElseThrow(), failed.retryAt().orElseThrow()))
                .isEqualTo(pause);
        assertThat(ask(there().once(name).backoff(pause, HOUR).every(HOUR))).isEqualTo(OnceOutcome.FAILED);
        moveBack(pool(), name, "retry_at", pause);
        assertThatThrownBy(() -> anew(name, pause, lease -> {
                    throw new IOException("still");
                }))
                .hasMessage("still");
        OnceInfo again = info(there(), name);
        assertThat(again.failures()).isEqualTo(2);
        assertThat(Duration.between(
                        again.lastFailure().orElseThrow(), again.retryAt().orElseThrow()))
                .as("longer after each failure in a row")
                .isEqualTo(pause.multipliedBy(2));
        assertThat(anew(name, pause, lease -> {})).isEqualTo(OnceOutcome.FAILED);
        moveBack(pool(), name, "retry_at", pause.multipliedBy(2));
        assertThat(anew(name, pause, lease -> {})).isEqualTo(OnceOutcome.RAN);
        OnceInfo done = info(here(), name);
        assertThat(done.failures()).isZero();
        assertThat(done.retryAt()).isEmpty();
        assertThat(done.lastFailure()).as("still to be seen").isPresent();
    }

    /** By an instance that remembers nothing. */
    private OnceOutcome anew(String name, Duration pause, LeaseWork<Lease, IOException> work) throws IOException {
        try (Dibs dibs = dibs()) {
            return dibs.once(name).backoff(pause, HOUR).every(HOUR).tryRun(work);
        }
    }

    @Test
    void onceEver() throws Exception {
        String name = fresh("ever");
        assertThat(ask(here().once(name).ever())).isEqualTo(OnceOutcome.RAN);
        age(name, Duration.ofDays(36_500));
        assertThat(ask(here().once(name).ever())).isEqualTo(OnceOutcome.NOT_DUE);
    }

    /** A zone where it will not be this time of the day while a test runs. */
    static ZoneId zoneFarFrom(LocalTime time) {
        return Stream.of("Pacific/Kiritimati", "Asia/Tokyo")
                .map(ZoneId::of)
                .filter(zone -> LocalTime.now(zone).plusMinutes(10).getHour() != time.getHour())
                .findFirst()
                .orElseThrow();
    }

    private interface Schedule {
        Once of(OnceBuilder work);
    }

    @Test
    void workOfACalendarIsDoneOncePerPeriod() throws Exception {
        ZoneId midnight = zoneFarFrom(LocalTime.MIDNIGHT);
        ZoneId noon = zoneFarFrom(LocalTime.NOON);
        assertOncePer(Duration.ofDays(1), work -> work.daily(midnight));
        assertOncePer(Duration.ofDays(31), work -> work.monthly(31, LocalTime.NOON, noon));
        assertOncePer(Duration.ofDays(366), work -> work.cron("0 0 1 1 *", ZoneOffset.UTC));
        OnceBuilder work = here().once(fresh("wrong"));
        for (int day : new int[] {0, 32}) {
            assertRejected(() -> work.monthly(day, LocalTime.NOON, noon), "day " + day, "between 1 and 31");
        }
        assertRejected(() -> work.cron("0 0 1 1", ZoneOffset.UTC), "0 0 1 1");
    }

    private void assertOncePer(Duration period, Schedule schedule) throws Exception {
        String name = fresh("calendar");
        assertThat(ask(schedule.of(here().once(name)))).isEqualTo(OnceOutcome.RAN);
        assertThat(ask(schedule.of(here().once(name)))).isEqualTo(OnceOutcome.NOT_DUE);
        age(name, period);
        assertThat(ask(schedule.of(there().once(name)))).isEqualTo(OnceOutcome.RAN);
        assertThat(ask(schedule.of(there().once(name)))).isEqualTo(OnceOutcome.NOT_DUE);
    }

    @Test
    void knownFreshWorkCostsNoStatement() {
        String name = fresh("free");
        Dibs dibs = dibs(counting());
        dibs.once(name).every(Duration.ofDays(30)).tryRun(lease -> {});
        dibs.once(name).every(Duration.ofDays(30)).tryRun(lease -> {});
        counting().reset();
        for (int i = 0; i < 10_000; i++) {
            assertThat(ask(dibs.once(name).every(Duration.ofDays(30)))).isEqualTo(OnceOutcome.NOT_DUE);
        }
        assertThat(counting().statements().stream().filter(ANY)).isEmpty();
        dibs.once(name).ever().tryRun(lease -> {});
        counting().reset();
        assertThat(ask(dibs.once(name).ever())).isEqualTo(OnceOutcome.NOT_DUE);
        assertThat(counting().statements().stream().filter(ANY))
                .as("never again")
                .isEmpty();
    }

    @Test
    void unknownWorkThatIsNotDueCostsOnePlainRead() {
        String name = fresh("read");
        Dibs there = dibs(counting());
        here().once(name).every(Duration.ofDays(30)).tryRun(lease -> {});
        there.once(name).ever().info();
        counting().reset();
        assertThat(ask(there.once(name).every(Duration.ofDays(30)))).isEqualTo(OnceOutcome.NOT_DUE);
        assertThat(ask(there.once(name).cron("0 0 1 1 *", ZoneOffset.UTC))).isEqualTo(OnceOutcome.NOT_DUE);
        assertThat(counting().statements()).hasSize(2).noneMatch(sql -> sql.contains("INSERT"));
    }

    @Test
    void aLookThatFailsIsNoAnswer() {
        String name = fresh("look");
        for (OnceOutcome expected : new OnceOutcome[] {OnceOutcome.RAN, OnceOutcome.NOT_DUE}) {
            Once once = overFaulty().once(name).cron("0 0 1 1 *", ZoneOffset.UTC);
            faulty().on(sql -> !sql.contains("INSERT")).time(1).fail("40001", 0);
            assertThat(once.tryRun(lease -> {})).isEqualTo(expected);
            assertThat(faulty().struck()).isNotEmpty();
        }
        assertThat(ask(here().once(name).cron("0 0 1 1 *", ZoneOffset.UTC))).isEqualTo(OnceOutcome.NOT_DUE);
    }

    @Test
    void aFormerHolderRecordsNothing() throws Exception {
        String name = fresh("late");
        Dibs there = dibs();
        assertThatThrownBy(() -> here().once(name).every(HOUR).tryRun(lease -> {
                    sql().change("UPDATE dibs_once SET held_until = 1 WHERE name = ?", name);
                    assertThat(there.once(name)
                                    .every(HOUR)
                                    .tryRun(inner ->
                                            assertThat(inner.fencingToken()).isGreaterThan(lease.fencingToken())))
                            .isEqualTo(OnceOutcome.RAN);
                    age(name, Duration.ofMinutes(30));
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Duration.between(info(there, name).lastSuccess().orElseThrow(), Instant.now()))
                .as("the late one has not recorded its own")
                .isGreaterThan(Duration.ofMinutes(29));
    }

    @Test
    void aVanishedWorkerCountsAsAFailure() throws Exception {
        String name = fresh("vanished");
        here().once(name).every(HOUR).tryRun(Lease::close);
        assertThat(sql().change("UPDATE dibs_once SET owner = 'somebody', held_until = 1 WHERE name = ?", name))
                .isEqualTo(1);
        here().close();
        Dibs dibs = dibs();
        OnceOutcome outcome = dibs.once(name).every(HOUR).tryRun(lease -> {
            assertThat(lease.takeover()).isPresent();
            assertThat(info(dibs, name).failures()).isEqualTo(1);
        });
        assertThat(outcome).isEqualTo(OnceOutcome.RAN);
        assertThat(info(dibs, name).failures()).isZero();
    }

    @FullTest(except = "postgresql")
    void aLongRunIsRenewed() throws SQLException {
        String name = fresh("long");
        Dibs here = closing(oftenRenewed(pool()).build());
        Dibs there = dibs();
        OnceOutcome outcome = here.once(name).every(HOUR).tryRun(lease -> {
            Instant until = info(there, name).running().orElseThrow().until();
            await().until(() ->
                    info(there, name).running().orElseThrow().until().isAfter(until));
            lease.check();
            assertThat(ask(there.once(name).every(HOUR))).isEqualTo(OnceOutcome.BUSY);
            lease.inTransaction(pool(), tx -> assertThat(tx.isClosed()).isFalse());
        });
        assertThat(outcome).isEqualTo(OnceOutcome.RAN);
    }

    @Test
    void anErrorIsNeitherFreshNorBusy() {
        Once once = overFaulty().once(fresh("error")).every(HOUR);
        faulty().exhaust(Duration.ofMillis(20));
        assertFails(() -> once.tryRun(lease -> {}));
        faulty().heal();
    }
}
