package dev.dibs.cli;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.Lease;
import dev.dibs.internal.sql.errors.Secrets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * Lets many connections race for the same rows. An engine that lets two of them win keeps none of our promises, with any statements. There
 * are such engines: one of Apache Ignite's two reports to several callers that they have changed a row that only one could change.
 */
final class EngineRace {

    static final int FEWEST = 2;
    static final int MOST = 64;

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final int ROUNDS = 100;
    private static final int ROLLED_BACK = -1;
    private static final int PATIENCE_SECONDS = 10;
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final DataSource dataSource;
    private final String prefix;
    private final Supplier<Dibs> instances;
    private final List<Connection> connections = new ArrayList<>();
    private String product = "this database";

    /**
     * For one race.
     *
     * @param dataSource gives connections with autocommit on
     * @param prefix the prefix of every table name
     * @param instances makes a new one each time: callers of one instance would be sent in a batch, and not race
     */
    EngineRace(DataSource dataSource, String prefix, Supplier<Dibs> instances) {
        this.dataSource = dataSource;
        this.prefix = prefix;
        this.instances = instances;
    }

    List<Finding> run(int racers) {
        try (RaceTrack track = new RaceTrack(racers)) {
            List<Finding> findings = new ArrayList<>(raceForRows(track));
            if (findings.stream().noneMatch(finding -> finding.level() == Level.ERROR)) {
                // Else the engine may not even know our statements, and their results would mean nothing.
                findings.addAll(raceForLocks(track));
            }
            return findings;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DatabaseFailureException("The race was interrupted", e);
        }
    }

    private List<Finding> raceForRows(RaceTrack track) throws InterruptedException {
        try {
            // Opened before the race begins, so that the racers meet in the database and not in the pool.
            while (connections.size() < track.racers()) {
                connections.add(dataSource.getConnection());
            }
            DatabaseMetaData meta = connections.get(0).getMetaData();
            product = meta.getDatabaseProductName() + " " + meta.getDatabaseProductVersion();
            return raceOnTable(track, meta.getIdentifierQuoteString());
        } catch (SQLException e) {
            return List.of(error(
                    "no more than " + connections.size() + " connections could be had at once: " + Secrets.masked(e),
                    "Race with fewer"));
        } finally {
            connections.forEach(EngineRace::close);
            connections.clear();
        }
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.DEBUG, "Could not return a connection", e);
        }
    }

    private List<Finding> raceOnTable(RaceTrack track, String quote) throws InterruptedException {
        RaceTable table = new RaceTable(prefix, quote);
        try {
            table.create(connections.get(1));
        } catch (SQLException e) {
            return List.of(error(
                    "the table " + table.name() + " cannot be made: " + Secrets.masked(e),
                    "Race as a user that may create tables"));
        }
        List<Finding> findings = new ArrayList<>();
        try {
            findings.add(race(track, "making one key", table::insert, 0));
            for (int row = 0; row < ROUNDS; row++) {
                table.insert(connections.get(1), ROUNDS + row);
            }
            findings.add(race(track, "changing one row on a condition", table::update, ROUNDS));
            findings.add(rollback(table));
        } catch (SQLException e) {
            findings.add(error("it failed: " + Secrets.masked(e), ""));
        }
        try {
            table.drop(connections.get(1));
        } catch (SQLException e) {
            findings.add(new Finding(
                    Level.NOTE, "race", table.name() + " is left: " + Secrets.masked(e), "Drop that table"));
        }
        return findings;
    }

    /** Changes one row, and returns whether it did. */
    private interface Change {
        boolean isDone(Connection connection, long row) throws SQLException;
    }

    private Finding race(RaceTrack track, String what, Change change, int firstRow)
            throws SQLException, InterruptedException {
        return race(track, what, (racer, round) -> {
            Connection connection = connections.get(racer);
            try {
                return change.isDone(connection, firstRow + round);
            } catch (SQLException e) {
                if (connection.isValid(PATIENCE_SECONDS)) {
                    // A racer that is not the first may be refused.
                    return false;
                }
                throw e;
            }
        });
    }

    private interface Attempt {
        boolean isFirst(int racer, int round) throws SQLException;
    }

    private Finding race(RaceTrack track, String what, Attempt attempt) throws SQLException, InterruptedException {
        int wrong = 0;
        int none = 0;
        for (int i = 0; i < ROUNDS; i++) {
            int round = i;
            int winners = track.winners(racer -> attempt.isFirst(racer, round));
            wrong += winners > 1 ? 1 : 0;
            none += winners == 0 ? 1 : 0;
        }
        String raced = what + ", " + ROUNDS + " times by " + track.racers() + " connections: ";
        if (wrong > 0) {
            return refused(raced + wrong + " times more than one of them seemed to be the first");
        }
        if (none == ROUNDS) {
            return error(raced + "nobody was ever the first", "");
        }
        return none == 0
                ? ok(raced + "one was the first each time")
                : new Finding(Level.NOTE, "race", raced + "never two at once, but " + none + " times nobody", "");
    }

    /** An engine without transactions may accept a rollback and do nothing. */
    private Finding rollback(RaceTable table) throws SQLException {
        Connection connection = connections.get(0);
        table.insert(connection, ROLLED_BACK);
        try {
            connection.setAutoCommit(false);
            table.update(connection, ROLLED_BACK);
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            return refused("it refuses a transaction: " + Secrets.masked(e));
        }
        return table.isChanged(connections.get(1), ROLLED_BACK)
                ? refused("a rollback did not undo an UPDATE")
                : ok("a rollback undid what it had to");
    }

    /** The leases end with their instances, so that a caller that comes a moment later finds them held. */
    private List<Finding> raceForLocks(RaceTrack track) throws InterruptedException {
        String names = "dibs-race:" + UUID.randomUUID() + ":";
        List<Dibs> racing = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        try (Dibs before = instances.get()) {
            while (racing.size() < track.racers()) {
                racing.add(instances.get());
            }
            findings.add(race(
                    track,
                    "acquiring a new name",
                    (racer, round) -> acquire(racing.get(racer), names + round).isPresent()));
            for (int round = 0; round < ROUNDS; round++) {
                acquire(before, names + "passed:" + round).ifPresent(Lease::close);
            }
            findings.add(race(
                    track,
                    "taking over an expired name",
                    (racer, round) -> acquire(racing.get(racer), names + "passed:" + round)
                            .isPresent()));
        } catch (DatabaseFailureException | SQLException e) {
            findings.add(error("no race for locks: " + e.getMessage(), ""));
        } finally {
            racing.forEach(Dibs::close);
        }
        return findings;
    }

    private static Optional<Lease> acquire(Dibs dibs, String name) {
        return dibs.lock(name).leaseLength(LEASE).tryAcquire();
    }

    private static Finding ok(String message) {
        return new Finding(Level.OK, "race", message, "");
    }

    private static Finding error(String message, String remedy) {
        return new Finding(Level.ERROR, "race", message, remedy);
    }

    private Finding refused(String message) {
        return error(
                message,
                "Do not use " + product
                        + " like this with Dibs: no promise would hold. See whether it has another engine or table type"
                        + " with real transactions");
    }
}
