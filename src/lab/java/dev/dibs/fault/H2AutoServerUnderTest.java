package dev.dibs.fault;

import dev.dibs.database.H2SharedFile;
import dev.dibs.fault.Fault.Scope;
import dev.dibs.fault.worker.Workload;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * H2 in a file that the workers share: one of them hosts it, and may die. There is no network to cut, and no wall clock is shifted, since
 * H2 computes the age of the lock file with it.
 */
final class H2AutoServerUnderTest extends DatabaseUnderTest {
    private final H2SharedFile file;

    H2AutoServerUnderTest() {
        this(new H2SharedFile(FaultSetup.WORKERS));
    }

    private H2AutoServerUnderTest(H2SharedFile file) {
        super("h2-auto-server", file);
        this.file = file;
    }

    @Override
    List<Integer> ports() {
        return List.of();
    }

    @Override
    String url(int worker, List<Integer> ports) {
        return file.urlOfProcess(worker) + ";NETWORK_TIMEOUT=3000";
    }

    @Override
    List<String> options() {
        return Stream.concat(new H2UnderTest().options().stream(), Stream.of("-Dh2.bindAddress=127.0.0.1"))
                .toList();
    }

    @Override
    Duration forgets() {
        return new H2UnderTest().forgets();
    }

    @Override
    boolean isHostedByWorkers() {
        return true;
    }

    /** Another process needs 2 to 7.5 seconds to become the host. */
    @Override
    Duration recovery() {
        return Workload.LEASE.plusSeconds(15);
    }

    @Override
    void workersCome() throws SQLException {
        file.leave();
    }

    @Override
    void workersHaveGone() throws Exception {
        Patience.until(recovery(), () -> {
            file.enter();
            return true;
        });
    }

    /** The current host. */
    private Fault hostIsKilled() {
        return new Fault("the host is killed", Scope.PROCESS, (setup, worker, length, random) -> {
            int number = file.host();
            if (number < 0) {
                throw new SQLException("there is no host just now");
            }
            WorkerProcess host = setup.workers().get(number);
            setup.kill(host);
            return host::start;
        });
    }

    @Override
    List<Fault> faults() {
        return Stream.concat(Stream.of(hostIsKilled()), new SqliteUnderTest().faults().stream())
                .toList();
    }

    @Override
    String sessions() {
        return new H2UnderTest().sessions();
    }

    /** Only an administrator may open the file like this, and an administrator's rights cannot be revoked. */
    @Override
    void readOnly(Connection admin, boolean on) {
        throw new UnsupportedOperationException();
    }
}
