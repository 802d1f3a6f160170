package dev.dibs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.FullRun;
import dev.dibs.database.PostgresPair;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a standby knows of grants when its primary dies. A synchronous one knows all; another one lacks the newest, which are then granted
 * again. {@code -Dfailovers=10} repeats it ten times; {@code -Dstandby.millis=0} is the delay of the connection to the standby.
 */
@Tag("fault")
@FullRun
class StandbyTest {
    private static final int TIMES = Integer.getInteger("failovers", 1);
    private static final int MILLIS = Integer.getInteger("standby.millis", 100);
    /** How many failovers there may be until a grant is lost: that depends on what is being sent at that moment. */
    private static final int PATIENCE = 5;

    private static final int THREADS = 4;
    private static final Duration WORK = Duration.ofSeconds(1);
    private static final Duration LEASE = Duration.ofMinutes(10);

    /** The connection to the newest standby. */
    private TcpProxy link;

    @Test
    void aSynchronousStandbyKnowsAllGrants() throws Exception {
        assertThat(grantedTwice(PostgresPair.synchronous(this::link), TIMES)).isZero();
    }

    @Test
    void anAsynchronousStandbyMayForgetGrants() throws Exception {
        assertThat(grantedTwice(PostgresPair.asynchronous(this::link), Math.max(TIMES, PATIENCE)))
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

    /**
     * How many locks had two holders at a time, each certain of it. If there was none, there are more failovers than asked for, up to the
     * most.
     */
    private int grantedTwice(PostgresPair pair, int most) throws Exception {
        pair.assumeAvailable();
        int twice = 0;
        try (Dibs dibs = Dibs.on(pair.dataSource())) {
            dibs.admin().createSchema();
        }
        try {
            for (int time = 1; time <= TIMES || (time <= most && twice == 0); time++) {
                twice += failover(pair, time);
            }
        } finally {
            pair.kill();
        }
        return twice;
    }

    private int failover(PostgresPair pair, int time) throws Exception {
        pair.awaitStandby();
        link.delay(Duration.ofMillis(MILLIS));
        List<Lease> again = new ArrayList<>();
        try (Dibs before = Dibs.builder(pair.dataSource()).leaseLength(LEASE).build()) {
            Map<String, Lease> granted = acquireUntilItDies(pair, before, "lock-" + time + "-");
            pair.promote();
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

    private static Map<String, Lease> acquireUntilItDies(PostgresPair pair, Dibs dibs, String prefix) throws Exception {
        Map<String, Lease> granted = new ConcurrentHashMap<>();
        List<Thread> threads = new ArrayList<>();
        for (int thread = 1; thread <= THREADS; thread++) {
            String mine = prefix + thread + "-";
            threads.add(new Thread(() -> acquire(dibs, mine, granted), mine));
        }
        threads.forEach(Thread::start);
        Thread.sleep(WORK.toMillis());
        pair.killPrimary();
        for (Thread thread : threads) {
            thread.join();
        }
        return granted;
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
}
