package dev.dibs.contract.connections;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.PatientClose;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.once.OnceOutcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A thread of the application gives something back while another one closes the Dibs and then its pool. */
class CloseDuringReleaseContract extends ContractFixture {

    private final CountDownLatch sent = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);

    /** The next statement like this is on its way for a little longer than a close takes that does not wait for it. */
    private void hold(FaultyDataSource faulty, Predicate<String> sql) {
        faulty.on(sql).actBefore(() -> {
            sent.countDown();
            return gate.await(20, SECONDS);
        });
    }

    private void closeDuring(CompletableFuture<Void> release, Dibs dibs, HikariDataSource pool) throws Exception {
        assertThat(sent.await(20, SECONDS)).isTrue();
        CompletableFuture<Void> close = CompletableFuture.runAsync(() -> {
            // Longer than this machine may stand still.
            PatientClose.of(dibs, LONG);
            pool.close();
        });
        CompletableFuture<Void> opened =
                CompletableFuture.runAsync(gate::countDown, CompletableFuture.delayedExecutor(200, MILLISECONDS));
        CompletableFuture.allOf(close, opened).get(20, SECONDS);
        assertThat(release.handle((done, e) -> true).get(20, SECONDS)).isTrue();
    }

    @Test
    void aLockIsFree() throws Exception {
        String name = fresh("closed");
        HikariDataSource pool = few();
        FaultyDataSource faulty = new FaultyDataSource(pool);
        Dibs here = dibs(faulty);
        Lease lease = here.lock(name).acquire(Duration.ZERO);
        hold(faulty, ANY);
        closeDuring(CompletableFuture.runAsync(lease::close), here, pool);
        assertThat(there().lock(name).tryAcquire()).isPresent();
    }

    @Test
    void aRunOfOnceIsRecorded() throws Exception {
        String name = fresh("closed-once");
        HikariDataSource pool = few();
        FaultyDataSource faulty = new FaultyDataSource(pool);
        Dibs here = dibs(faulty);
        CompletableFuture<Void> run = CompletableFuture.runAsync(() -> here.once(name)
                .every(Duration.ofHours(1))
                .tryRun(lease -> hold(faulty, sql -> sql.contains("succeeded_at ="))));
        closeDuring(run, here, pool);
        assertThat(there().once(name).every(Duration.ofHours(1)).tryRun(lease -> {}))
                .isEqualTo(OnceOutcome.NOT_DUE);
    }

    @Test
    void rowsAreFree() throws Exception {
        Jobs jobs = jobs(2);
        HikariDataSource pool = few();
        FaultyDataSource faulty = new FaultyDataSource(pool);
        Dibs here = dibs(faulty);
        Claim<RowKey> claim = jobs.claims(here).build().claim(2);
        hold(faulty, ANY);
        closeDuring(CompletableFuture.runAsync(claim::close), here, pool);
        assertThat(jobs.claimed()).isZero();
    }
}
