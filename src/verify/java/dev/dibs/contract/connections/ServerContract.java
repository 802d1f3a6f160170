package dev.dibs.contract.connections;

import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Lease;
import dev.dibs.ReadWriteLock;
import dev.dibs.claims.Claim;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.ErrorLog;
import dev.dibs.database.FullTest;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.Sql;
import dev.dibs.internal.schema.Doctor;
import dev.dibs.internal.sql.call.Params;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Tests that need a server of their own, one after the other: it is killed and started again, its log is read, and its oldest
 * transaction is named. They also check the servers of the tests themselves: these are durable, show their errors and listen only on this
 * machine.
 */
@OnEachDatabase(ownServer = true)
class ServerContract extends ContractFixture {

    @FullTest(except = "postgresql")
    @Execution(ExecutionMode.SAME_THREAD)
    void locksSurviveARestartOfTheDatabase() throws Exception {
        assumeTrue(database().canRestart());
        String name = fresh("restart");
        long before;
        Lease lease = here().lock(name)
                .leaseLength(Duration.ofMinutes(5))
                .tryAcquire()
                .orElseThrow();
        before = lease.fencingToken();
        database().restart();
        Lease again = acquireAgain(here(), fresh("other"));
        assertThat(again.isValid()).isTrue();
        assertThat(here().lock(name).tryAcquire())
                .as("an acknowledged grant survives a crash")
                .isEmpty();
        lease.check();
        here().admin().breakLock(name);
        assertThat(here().lock(name).tryAcquire().orElseThrow().fencingToken()).isGreaterThan(before);
    }

    /** The pool still has connections to the server that was killed. */
    private static Lease acquireAgain(Dibs dibs, String name) {
        return dibs.lock(name).acquire(SOON);
    }

    @FullTest(except = "postgresql")
    @Execution(ExecutionMode.SAME_THREAD)
    void theNormalPathFailsNoStatement() throws Exception {
        assumeTrue(database().canReadErrorLog());
        String name = fresh("quiet");
        ErrorLog log = database().errorLog();
        CountingDataSource counting = new CountingDataSource(pool());
        try (Dibs here = oftenRenewed(counting).build();
                Dibs there = dibs();
                Connection business = pool().getConnection()) {
            here.admin().createSchema();
            // By another instance, since adding a row requests a purge.
            there.lock(name).tryAcquire().orElseThrow().close();
            Lease lease = here.lock(name).tryAcquire().orElseThrow();
            there.lock(name).tryAcquire();
            business.setAutoCommit(false);
            lease.guard(business);
            there.lock(name).tryAcquire();
            counting.reset();
            Awaitility.await("a renewal").until(() -> !counting.statements().isEmpty());
            // Its end, too.
            Thread.sleep(100);
            lease.close();
            business.commit();
            there.lock(name).acquire(SOON).close();
            here.lock(name).tryAcquire();
            there.admin().breakLock(name);
            there.admin().locks();
            there.admin().doctor();
        }
        assertThat(log.entries()).isEmpty();
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    void readingAndWritingFailsNoStatement() throws Exception {
        assumeTrue(database().canReadErrorLog());
        String name = fresh("quiet");
        ReadWriteLock lock = here().readWriteLock(name);
        ReadWriteLock other = there().readWriteLock(name);
        lock.read().tryAcquire().orElseThrow().close();
        ErrorLog log = database().errorLog();
        Lease reader = lock.read().tryAcquire().orElseThrow();
        assertThat(other.write().tryAcquire(Duration.ofMillis(200))).isEmpty();
        CompletableFuture<Lease> writer =
                CompletableFuture.supplyAsync(() -> other.write().acquire(SOON));
        Awaitility.await("the writer keeps new readers out").until(() -> isKeptOut(lock));
        reader.close();
        writer.join().close();
        assertThat(log.entries()).isEmpty();
    }

    private static boolean isKeptOut(ReadWriteLock lock) {
        Optional<Lease> reader = lock.read().tryAcquire();
        reader.ifPresent(Lease::close);
        return reader.isEmpty();
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    void claimsFailNoStatement() throws Exception {
        assumeTrue(database().canReadErrorLog());
        Jobs jobs = jobs(20);
        ErrorLog log = database().errorLog();
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        Claim<RowKey> claim = claims.claim(5);
        claim.renew();
        claims.release(claims.claim(2).token());
        NextClaim<RowKey> turn = claim.completeAndClaim(5);
        turn.next().postpone(List.of(RowKey.of(6)), Duration.ofSeconds(1));
        turn.next().close();
        claims.claim(RowClaims.newToken(), 3).complete();
        claims.claim(20);
        claims.claim(20);
        claims.count();
        assertThat(log.entries()).isEmpty();
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    void theErrorLogShowsAFailedStatementAndNothingElse() throws SQLException {
        assumeTrue(database().canReadErrorLog());
        run(database().dataSource(), "CREATE TABLE quiet (id INT)");
        ErrorLog log = database().errorLog();
        run(database().dataSource(), "INSERT INTO quiet VALUES (1)", "DROP TABLE quiet");
        assertThat(log.entries()).isEmpty();
        assertThatThrownBy(() -> run(database().dataSource(), "INSERT INTO quiet VALUES (2)"))
                .isInstanceOf(SQLException.class);
        List<String> entries =
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(log::entries, found -> !found.isEmpty());
        assertThat(entries).singleElement().asString().containsIgnoringCase("quiet");
        assertThat(database().errorLog().entries()).isEmpty();
    }

    /** The doctor names only one for the whole server. */
    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    void theOldestTransactionIsNamedWithItsAge() throws Exception {
        assumeFalse(database().sessionNumber().isEmpty(), "nothing is known of old transactions here");
        HikariDataSource far = closing(
                database().pool(config -> config.setConnectionInitSql(database().farZone())));
        Connection old = transaction();
        run(
                old,
                "INSERT INTO dibs_lock (name, fence, acquired_at, held_until) VALUES ('" + fresh("old")
                        + "', 1, 1, 1)");
        String session = "session " + Sql.on(old).number(database().sessionNumber()) + " ";
        // An older one of the test before ends soon.
        Awaitility.await()
                .atMost(SOON)
                .untilAsserted(() -> assertThat(oldest(far, Duration.ZERO))
                        .anySatisfy(finding -> assertThat(finding.message())
                                .startsWith(session)
                                .contains(" has had a transaction open for 0 min"))
                        .allSatisfy(finding -> assertThat(finding.level()).isEqualTo(Finding.Level.WARNING)));
        assertThat(oldest(far, Duration.ofHours(1))).isEmpty();
    }

    private List<Finding> oldest(HikariDataSource from, Duration age) throws Exception {
        Params params = Params.none().with("age", age.toMillis()).with("behind", Long.MAX_VALUE);
        return asked(from, "dibs_")
                .call("check_cleanup", params, SOON, Doctor::finding)
                .rows();
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    void isReachedFromThisMachineOnly() throws IOException {
        database().url();
        assumeTrue(database().port() != 0, "not our server");
        List<InetAddress> addresses = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .toList();
        for (InetAddress address : addresses) {
            try (Socket socket = new Socket()) {
                InetSocketAddress outside =
                        new InetSocketAddress(address, database().port());
                assertThatThrownBy(() -> socket.connect(outside, 1000))
                        .as(outside.toString())
                        .isInstanceOf(IOException.class);
            }
        }
    }

    private static void run(DataSource dataSource, String... statements) throws SQLException {
        Sql.on(dataSource).run(statements);
    }
}
