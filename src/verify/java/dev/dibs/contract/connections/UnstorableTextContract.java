package dev.dibs.contract.connections;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.once.Once;
import dev.dibs.once.OnceOutcome;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunError;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Strings that the database cannot store, such as an emoji in LATIN1. One for people is stored in ASCII, with escape codes. One that names
 * something is refused.
 */
class UnstorableTextContract extends ContractFixture {

    private static final String TEXT = "Zażółć \ud83d\udd12";
    private static final Pattern CODE = Pattern.compile("\\\\u([0-9a-f]{4})");

    private static String read(String stored) {
        return CODE.matcher(stored).replaceAll(code -> String.valueOf((char) Integer.parseInt(code.group(1), 16)));
    }

    @Test
    void aRowThatFailsWithSuchAnErrorGoesDead() throws Exception {
        HikariDataSource narrow = closing(database().narrow());
        Jobs jobs = closing(new Jobs(narrow, 2));
        Dibs dibs = closing(builder(narrow).holder(TEXT).build());
        Run run = dibs.run(fresh("failing"));
        AtomicInteger tries = new AtomicInteger();
        RunWorkers<?> workers = run.over(jobs.claims(dibs).build())
                .batch(1)
                .maxAttempts(2)
                .backoff(Duration.ofMillis(20), Duration.ofMillis(20))
                .work(key -> {
                    if (key.asLong() == 1) {
                        tries.incrementAndGet();
                        throw new IllegalStateException(TEXT.repeat(200));
                    }
                })
                .start();
        assertThat(workers.await(LONG)).isTrue();
        assertThat(workers.await()).isEqualTo(RunWorkers.End.INCOMPLETE);
        assertThat(tries).hasValue(2);
        assertThat(jobs.done()).containsExactly(2L);
        assertThat(read(run.dead(9).get(0).message())).contains(TEXT);
        assertThat(run.errors(9))
                .hasSize(2)
                .extracting(RunError::message)
                .allMatch(message -> read(message).startsWith(TEXT) && message.length() <= 1000);
        run.stop(TEXT);
        RunStatus status = run.status().orElseThrow();
        assertThat(read(status.reason())).isEqualTo(TEXT);
        assertThat(read(status.changedBy())).isEqualTo(TEXT);
    }

    @Test
    void onceIsPausedAfterSuchAnError() throws Exception {
        HikariDataSource narrow = closing(database().narrow());
        Dibs here = dibs(narrow);
        Dibs there = dibs(narrow);
        String name = fresh("once");
        assertThatThrownBy(() -> here.once(name).every(Duration.ofHours(1)).tryRun(lease -> {
                    throw new IllegalStateException(TEXT);
                }))
                .hasMessage(TEXT);
        for (Dibs dibs : List.of(here, there)) {
            Once once = dibs.once(name).every(Duration.ofHours(1));
            assertThat(once.tryRun(lease -> {})).isEqualTo(OnceOutcome.FAILED);
            assertThat(read(once.info().orElseThrow().error())).endsWith(TEXT);
        }
    }

    @Test
    void aHolderWithSuchALabelAcquires() throws Exception {
        HikariDataSource narrow = closing(database().narrow());
        Dibs dibs = closing(builder(narrow).holder(TEXT).build());
        for (String name : List.of(fresh("new"), fresh("retaken"))) {
            for (int i = 0; i < 2; i++) {
                try (Lease lease = dibs.lock(name).acquire(Duration.ZERO)) {
                    lease.check();
                    assertThat(dibs.admin().locks())
                            .filteredOn(lock -> lock.name().equals(name))
                            .singleElement()
                            .extracting(LeaseInfo::holder)
                            .asString()
                            .startsWith("Za");
                }
            }
        }
    }

    /** Never is a character replaced: two names would meet. */
    @Test
    void aNameIsStoredAsItIsOrRefused() throws Exception {
        HikariDataSource narrow = closing(database().narrow());
        Dibs dibs = dibs(narrow);
        String prefix = fresh("name");
        for (String end : List.of(TEXT, "ä", "Ł", "\ud83d\udd11")) {
            String name = prefix + end;
            try (Lease lease = dibs.lock(name).acquire(Duration.ZERO)) {
                lease.check();
                assertThat(dibs.admin().locks()).extracting(LeaseInfo::name).contains(name);
            } catch (DatabaseFailureException e) {
                assertThat(e).hasMessageContaining("failed: ").hasMessageNotContaining("unknown");
            }
            try {
                var tokens = dibs.tokens(prefix);
                assertThat(tokens.consume(tokens.issue(name, LONG)).subject()).hasValue(name);
            } catch (DatabaseFailureException e) {
                assertThat(e).hasMessageContaining("failed: ").hasMessageNotContaining("unknown");
            }
        }
    }

    /** Where a text counts by its bytes, a long one may be too long. */
    @Test
    void aLongNameIsStoredAsItIsOrRefused() throws Exception {
        String label = "\u0142".repeat(200);
        HikariDataSource unencoded = closing(database().unencoded());
        Dibs dibs = closing(builder(unencoded).holder(label).build());
        try (Lease lease = dibs.lock(fresh("labelled")).acquire(Duration.ZERO)) {
            lease.check();
        }
        for (int length : List.of(60, 200)) {
            String name = "\u0142".repeat(length);
            try (Lease lease = dibs.lock(name).acquire(Duration.ZERO)) {
                lease.check();
                assertThat(dibs.admin().locks()).extracting(LeaseInfo::name).contains(name);
            } catch (DatabaseFailureException e) {
                assertThat(length).isGreaterThan(60);
                assertThat(e).hasMessageContaining("too long").hasMessageNotContaining("unknown");
            }
        }
    }
}
