package dev.dibs;

import dev.dibs.Finding.Level;
import dev.dibs.core.OwnerToken;
import dev.dibs.core.TransactionEnd;
import dev.dibs.sql.Database;
import dev.dibs.sql.Params;
import dev.dibs.sql.Secrets;
import dev.dibs.sql.SqlFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * Lets many connections race for the same rows: an engine that lets two of them win keeps none of our promises, whatever the statements.
 * There are such: one of Apache Ignite's two tells several callers that they have changed the row that only one could.
 */
final class EngineRace {

    static final int MOST_RACERS = 64;

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final int ROUNDS = 100;
    private static final int CLEARINGS = 5;
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** A connection to race on, and how it came. */
    private record Track(Connection connection, boolean autoCommit) {}

    private final Database database;
    private final Function<String, NamedLock> locks;
    private final String names = "dibs-race:" + OwnerToken.next() + ":";
    private final List<Track> tracks = new CopyOnWriteArrayList<>();
    private final Queue<Lease> leases = new ConcurrentLinkedQueue<>();
    private String product = "";

    /** For one race. */
    EngineRace(Database database, Function<String, NamedLock> locks) {
        this.database = database;
        this.locks = locks;
    }

    static int checkRacers(int racers) {
        if (racers < 2 || racers > MOST_RACERS) {
            throw new IllegalArgumentException(
                    racers + " connections are out of bounds; it must be between 2 and " + MOST_RACERS);
        }
        return racers;
    }

    List<Finding> run(int racers) throws SqlFailure {
        try (RaceTrack track = new RaceTrack(racers)) {
            makeAll("update:");
            makeAll("takeover:");
            make(names + "rollback");
            return raced(track);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DibsException("The race was interrupted", e);
        } finally {
            giveBack();
            clear();
        }
    }

    private List<Finding> raced(RaceTrack track) throws SqlFailure, InterruptedException {
        int had = track.winners(racer -> borrow());
        if (had < track.racers()) {
            return List.of(new Finding(
                    Level.ERROR,
                    "race",
                    "no more than " + had + " connections could be had at once",
                    "Race with fewer, or give Dibs a larger pool"));
        }
        product = product(connection(0));
        List<Finding> findings = new ArrayList<>();
        findings.add(race(track, "making one key", "insert:", by("race_insert")));
        findings.add(race(track, "changing one row on a condition", "update:", by("race_update")));
        findings.add(rollback());
        giveBack();
        if (findings.stream().anyMatch(finding -> finding.level() == Level.ERROR)) {
            // Such an engine may not even know our statements, and whatever they told would not matter.
            return findings;
        }
        findings.add(race(track, "acquiring a new name", "acquire:", this::acquire));
        findings.add(race(track, "taking over a name that has passed", "takeover:", this::acquire));
        return findings;
    }

    private void makeAll(String kind) throws SqlFailure {
        for (int round = 0; round < ROUNDS; round++) {
            make(names + kind + round);
        }
    }

    private void make(String name) throws SqlFailure {
        database.call("race_insert", Params.of("name", name), TIMEOUT);
    }

    /**
     * Borrows a connection before a race begins, so that they meet in the database and not in the pool. On a thread of our own: one that is
     * bound to the caller's thread may carry a transaction, which autocommit would commit.
     */
    private boolean borrow() {
        try {
            Connection connection = database.borrow("race");
            tracks.add(new Track(connection, connection.getAutoCommit()));
            connection.setAutoCommit(true);
            return true;
        } catch (SqlFailure | SQLException e) {
            LOG.log(System.Logger.Level.DEBUG, "No connection to race on", e);
            return false;
        }
    }

    private interface Attempt {
        boolean isFirst(int racer, String name) throws SqlFailure;
    }

    private Finding race(RaceTrack track, String what, String kind, Attempt attempt)
            throws SqlFailure, InterruptedException {
        int wrong = 0;
        int none = 0;
        for (int round = 0; round < ROUNDS; round++) {
            String name = names + kind + round;
            int winners = track.winners(racer -> attempt.isFirst(racer, name));
            wrong += winners > 1 ? 1 : 0;
            none += winners == 0 ? 1 : 0;
        }
        String raced = what + ", " + ROUNDS + " times by " + track.racers() + " connections: ";
        if (wrong > 0) {
            return refused(raced + wrong + " times more than one of them was told to be the first");
        }
        return none == 0
                ? new Finding(Level.OK, "race", raced + "one was the first each time", "")
                : new Finding(Level.NOTE, "race", raced + "never two at once, but " + none + " times nobody", "");
    }

    private Attempt by(String statement) {
        return (racer, name) -> {
            try {
                return database.callOn(connection(racer), statement, Params.of("name", name))
                                .changed()
                        == 1;
            } catch (SqlFailure e) {
                return lost(e);
            }
        };
    }

    private Connection connection(int racer) {
        return tracks.get(racer).connection();
    }

    /** To be refused is the fate of those who are not the first. */
    private static boolean lost(SqlFailure failure) throws SqlFailure {
        return switch (failure.outcome()) {
            case DUPLICATE, ROLLED_BACK -> false;
            case NOT_SENT, REFUSED, UNKNOWN -> throw failure;
        };
    }

    /** The lease is left for the end, so that who comes a moment later finds it held. */
    private boolean acquire(int racer, String name) {
        Optional<Lease> lease = locks.apply(name).leaseFor(LEASE).tryAcquire();
        lease.ifPresent(leases::add);
        return lease.isPresent();
    }

    /** An engine without transactions may take a rollback and do nothing. */
    private Finding rollback() throws SqlFailure {
        Params params = Params.of("name", names + "rollback");
        Connection connection = connection(0);
        try {
            connection.setAutoCommit(false);
            database.callOn(connection, "race_update", params);
        } catch (SQLException e) {
            return refused("it refuses a transaction: " + Secrets.masked(e));
        } finally {
            TransactionEnd.of(connection, false, true);
        }
        long fence = database.callOn(connection(1), "race_look", params, row -> row.getLong("fence"))
                .rows()
                .get(0);
        return fence == 0
                ? new Finding(Level.OK, "race", "a rollback undid what it had to", "")
                : refused("a rollback did not undo an UPDATE");
    }

    private Finding refused(String message) {
        return new Finding(
                Level.ERROR,
                "race",
                message,
                "Do not use " + product
                        + " like this with Dibs: no promise would hold. See whether it has another engine or table type"
                        + " with real transactions");
    }

    private static String product(Connection connection) {
        try {
            return connection.getMetaData().getDatabaseProductName() + " "
                    + connection.getMetaData().getDatabaseProductVersion();
        } catch (SQLException e) {
            return "this database";
        }
    }

    private void giveBack() {
        for (Track track : tracks) {
            TransactionEnd.of(track.connection(), true, track.autoCommit());
            TransactionEnd.quietly(track.connection()::close);
        }
        tracks.clear();
    }

    private void clear() {
        leases.forEach(Lease::close);
        for (String kind : List.of("insert:", "update:", "acquire:", "takeover:")) {
            for (int round = 0; round < ROUNDS; round++) {
                clear(names + kind + round);
            }
        }
        clear(names + "rollback");
    }

    /** A row that a renewal of ours still has locked is tried again; what is left nevertheless is deleted by the next purge. */
    private void clear(String name) {
        for (int tries = 0; tries < CLEARINGS; tries++) {
            try {
                database.call("race_clear", Params.of("name", name), TIMEOUT);
                return;
            } catch (SqlFailure e) {
                LOG.log(System.Logger.Level.DEBUG, "A row of a race is left", e);
            }
        }
    }
}
