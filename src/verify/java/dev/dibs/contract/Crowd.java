package dev.dibs.contract;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import javax.sql.DataSource;

/** Callers that acquire and release locks at once. */
final class Crowd extends Gathering {

    /** The fence of a row that was left behind: greater than the clock. */
    static final long FENCE = 9_007_199_254_740_000L;

    /** Occupied. */
    Crowd(Fixture fixture) throws Exception {
        this(fixture, LONG);
    }

    Crowd(Fixture fixture, Duration lease) throws Exception {
        super(fixture, lease);
        occupy();
    }

    @Override
    Callable<?> blocker(String name) {
        return () -> dibs().lock(name).lease(LONG).tryAcquire();
    }

    List<Future<Optional<Lease>>> acquire(List<String> names) {
        return queue(names.stream()
                .map(name -> (Callable<Optional<Lease>>) () -> dibs().lock(name).tryAcquire())
                .toList());
    }

    /** All of these names at once. */
    List<Future<Optional<Lease>>> acquireAgain(List<Lease> released) throws Exception {
        occupy();
        List<Future<Optional<Lease>>> all =
                acquire(released.stream().map(Lease::name).toList());
        letGo();
        return all;
    }

    List<Future<Boolean>> close(List<Lease> leases) {
        return queue(leases.stream()
                .map(lease -> (Callable<Boolean>) () -> {
                    lease.close();
                    return true;
                })
                .toList());
    }

    /** Acquired one by one, while nothing is delayed. */
    List<Lease> open(List<String> names) throws Exception {
        letGo();
        return names.stream()
                .map(name -> dibs().lock(name).tryAcquire().orElseThrow())
                .toList();
    }

    boolean heldByNobody(List<Lease> leases) {
        List<String> held =
                dibs().admin().locks().stream().map(lock -> lock.name()).toList();
        return leases.stream().noneMatch(lease -> held.contains(lease.name()));
    }

    /** The row of a holder whose lease has expired. */
    void leaveBehind(String name) throws SQLException {
        try (Dibs there = fixture().dibs()) {
            there.lock(name).tryAcquire().orElseThrow().close();
        }
        try (Connection connection = fixture().pool().getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "UPDATE dibs_lock SET owner = 'nobody', holder = 'a dead one', fence = ? WHERE name = ?")) {
            statement.setLong(1, FENCE);
            statement.setString(2, name);
            statement.executeUpdate();
        }
    }

    /** Its row is locked until the transaction ends. Returns the number of rows. */
    static int lockRow(Connection connection, String name) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE dibs_lock SET holder = holder WHERE name = ?")) {
            statement.setString(1, name);
            return statement.executeUpdate();
        }
    }

    /** The row of a holder whose transaction is not committed yet. */
    static void make(Connection connection, String name) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement(LeaseTable.insertion(
                connection,
                "dibs_lock",
                "owner, holder, fence, acquired_at, held_until",
                "'somebody', 'somebody', 1, 1, " + FENCE))) {
            statement.setString(1, name);
            statement.executeUpdate();
        }
    }

    /** Its fence cannot grow any more: an acquire gets an error. */
    static void spoil(DataSource pool, String name) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("UPDATE dibs_lock SET fence = ? WHERE name = ?")) {
            statement.setLong(1, Long.MAX_VALUE);
            statement.setString(2, name);
            statement.executeUpdate();
        }
    }
}
