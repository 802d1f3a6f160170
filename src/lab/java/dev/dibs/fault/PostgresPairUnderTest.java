package dev.dibs.fault;

import dev.dibs.database.PostgresPair;
import dev.dibs.fault.Fault.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** A PostgreSQL server with a synchronous standby, which takes over when it dies. The workers find out by themselves. */
final class PostgresPairUnderTest extends DatabaseUnderTest {
    private static final int LONGEST_MILLIS = 1_000;

    private final PostgresPair pair;

    PostgresPairUnderTest() {
        this(PostgresPair.synchronous(IntUnaryOperator.identity()));
    }

    private PostgresPairUnderTest(PostgresPair pair) {
        super("postgresql-pair", pair);
        this.pair = pair;
    }

    @Override
    List<Integer> ports() {
        return pair.ports();
    }

    @Override
    String url(int worker, List<Integer> ports) {
        return pair.urlAt(ports) + "&hostRecheckSeconds=1&" + PostgresUnderTest.TIMEOUTS;
    }

    /** The dead primary never comes back: a new standby takes its place. */
    Fault failover() {
        return new Fault("failover", Scope.SERVER, (setup, worker, length, random) -> {
            pair.awaitStandby();
            // Not always at the moment of a new standby.
            Thread.sleep(random.nextInt(LONGEST_MILLIS));
            pair.killPrimary();
            return pair::promote;
        });
    }

    @Override
    List<Fault> ownFaults() {
        return List.of(failover());
    }

    @Override
    String partitions() {
        return PostgresUnderTest.PARTITIONS;
    }

    @Override
    void prepare(Connection admin) throws SQLException {
        PostgresUnderTest.makePartitions(admin);
    }

    @Override
    String sessions() {
        return PostgresUnderTest.SESSIONS;
    }

    @Override
    void readOnly(Connection admin, boolean on) throws SQLException {
        PostgresUnderTest.setReadOnly(admin, on);
    }
}
