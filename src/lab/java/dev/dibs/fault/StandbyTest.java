package dev.dibs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.Lease;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.PostgresPair;
import dev.dibs.database.Sql;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntUnaryOperator;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a standby knows of grants when its primary dies. A synchronous one knows all; another one lacks the newest, which are then granted
 * again, and the doctor finds it. {@code -Dfailovers=10} repeats it ten times. {@code -Dstandby.millis=10} measures how often grants are
 * forgotten: the connection to the standby has that delay, where it else hangs before the last grants.
 */
@Tag("fault")
@FullRun
class StandbyTest {
    private static final int TIMES = Integer.getInteger("failovers", 1);
    private static final Integer MILLIS = Integer.getInteger("standby.millis");
    private static final int DEFAULT_MILLIS = 20;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** The newest grants: an asynchronous standby lacks them. */
    private static final int NEWEST = 10;

    private static final int THREADS = 4;
    private static final int GRANTS = 40;
    private static final Duration LEASE = Duration.ofMinutes(10);

    /** The connection to the newest standby. */
    private TcpProxy link;

    @Test
    void aSynchronousStandbyKnowsAllGrants() throws Exception {
        assertThat(grantedTwice(PostgresPair.synchronous(this::link), false)).isZero();
    }

    @Test
    void anAsynchronousStandbyMayForgetGrants() throws Exception {
        assertThat(grantedTwice(PostgresPair.asynchronous(this::link), MILLIS == null))
                .isPositive();
    }

    private int link(int port) {
        try {
            link = TcpProxy.to(port);
            return link.port();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many locks had two holders at a time, each certain of it. */
    private int grantedTwice(PostgresPair pair, boolean hangs) throws Exception {
        pair.assumeAvailable();
        int twice = 0;
        try (Dibs dibs = Dibs.on(pair.dataSource())) {
            dibs.admin().createSchema();
        }
        try {
            for (int time = 1; time <= TIMES; time++) {
                twice += failover(pair, time, hangs);
            }
        } finally {
            pair.kill();
        }
        return twice;
    }

    private int failover(PostgresPair pair, int time, boolean hangs) throws Exception {
        pair.awaitStandby();
        TcpProxy toStandby = link;
        toStandby.delay(Duration.ofMillis(MILLIS == null ? DEFAULT_MILLIS : MILLIS));
        List<Lease> again = new ArrayList<>();
        try (Dibs before = Dibs.builder(pair.dataSource()).leaseLength(LEASE).build()) {
            Map<String, Lease> granted = acquireUntilItDies(pair, before, "lock-" + time + "-", hangs);
            pair.promote();
            toStandby.stall(false);
            try (Dibs after = Dibs.builder(pair.dataSource()).leaseLength(LEASE).build()) {
                granted.forEach((name, lease) -> after.lock(name).tryAcquire().ifPresent(other -> {
                    assertThat(lease.isValid()).isTrue();
                    again.add(other);
                }));
            }
            System.out.println(pair + ": of " + granted.size() + " grants " + again.size() + " were given again");
        }
        return again.size();
    }

    private Map<String, Lease> acquireUntilItDies(PostgresPair pair, Dibs dibs, String prefix, boolean hangs)
            throws Exception {
        Map<String, Lease> granted = new ConcurrentHashMap<>();
        List<Thread> threads = new ArrayList<>();
        for (int thread = 1; thread <= THREADS; thread++) {
            String mine = prefix + thread + "-";
            threads.add(new Thread(() -> acquire(dibs, mine, granted), mine));
        }
        threads.forEach(Thread::start);
        awaitGrants(granted, GRANTS);
        if (hangs) {
            link.stall(true);
            awaitGrants(granted, granted.size() + NEWEST);
        }
        pair.killPrimary();
        for (Thread thread : threads) {
            thread.join();
        }
        return granted;
    }

    private static void awaitGrants(Map<String, Lease> granted, int count) {
        Awaitility.await().atMost(PATIENCE).until(() -> granted.size() >= count);
    }

    /** One name after the other, until there is an error. */
    private static void acquire(Dibs dibs, String prefix, Map<String, Lease> granted) {
        try {
            for (int number = 1; ; number++) {
                String name = prefix + number;
                dibs.lock(name).tryAcquire().ifPresent(lease -> granted.put(name, lease));
            }
        } catch (DatabaseFailureException died) {
            return;
        }
    }

    @Test
    void theDoctorFindsAnAsynchronousStandby() throws SQLException {
        PostgresPair pair = PostgresPair.asynchronous(IntUnaryOperator.identity());
        pair.assumeAvailable();
        try {
            DataSource primary = pair.dataSource();
            Sql.on(primary).run("CREATE USER plain");
            DataSource plain = new DriverDataSource(pair.url(), "plain", "");

            assertThat(standby(primary)).hasValueSatisfying(finding -> {
                assertThat(finding.level()).isEqualTo(Level.WARNING);
                assertThat(finding.message()).contains("asynchronous", "may forget grants");
                assertThat(finding.remedy()).contains("synchronous_standby_names", "docs/reference/scaling.md");
            });
            // The user sees no state, but that nothing waits for any standby.
            assertThat(level(plain)).contains(Level.WARNING);

            Sql.on(primary).run("ALTER SYSTEM SET synchronous_standby_names = 'standby'", "SELECT pg_reload_conf()");
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> level(primary), level -> level.isPresent() && level.get() == Level.OK);
            assertThat(standby(plain)).hasValueSatisfying(finding -> {
                assertThat(finding.level()).isEqualTo(Level.NOTE);
                assertThat(finding.remedy()).contains("pg_monitor");
            });

            Sql.on(primary).run("ALTER USER plain SET synchronous_commit = 'local'");
            assertThat(level(plain)).contains(Level.WARNING);
        } finally {
            pair.kill();
        }
    }

    private static Optional<Level> level(DataSource dataSource) {
        return standby(dataSource).map(Finding::level);
    }

    private static Optional<Finding> standby(DataSource dataSource) {
        try (Dibs dibs = Dibs.on(dataSource)) {
            return dibs.admin().doctor().stream()
                    .filter(finding -> finding.subject().equals("standby"))
                    .findFirst();
        }
    }
}
