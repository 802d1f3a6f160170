package dev.dibs.database;

import dev.dibs.DibsBuilder;
import java.util.List;
import java.util.function.Predicate;

/**
 * How a database differs from the others, as far as contracts have to know: how many statements an operation takes, which of them commits,
 * and how some SQL is written. What stands here is the usual case; a database overrides what is different there.
 */
public abstract class Traits {

    /** The statement that ends a transaction of several steps. */
    static final Predicate<String> COMMIT = "COMMIT"::equals;

    /** What is sent for many locks at once: a list, and a fence that grows or a row that is released. */
    public static final Predicate<String> MANY =
            sql -> (sql.contains("unnest(") || sql.contains("JSON_TABLE(") || sql.contains("ANY("))
                    && (sql.contains("greatest(") || sql.contains("owner = NULL"));

    /** How many statements it takes to acquire a free lock, to acquire a new name, and to renew. */
    public int[] price() {
        return new int[] {1, 1, 1};
    }

    /** How a row is locked by a guard that knows the fence and not the owner. */
    public String guardsByFence() {
        return "FOR UPDATE";
    }

    /** How many statements it takes to get a free permit, to get a new one, and to learn that all are held. */
    public int[] priceOfPermit() {
        return new int[] {1, 1, 1};
    }

    /** How many statements let a reader in, let it go, and let a writer in where nobody is. */
    public int[] priceOfReadAndWrite() {
        return new int[] {1, 1, 2};
    }

    /** How many statements it takes to consume a token. */
    public int statementsOfConsume() {
        return 1;
    }

    /** The step of an acquire that takes the lock. */
    public int lastStepOfAcquire() {
        return 1;
    }

    /** The step of an acquire of a lock that is held at least for a while. */
    public int lastStepOfHeldAcquire() {
        return 1;
    }

    /** The step of an acquire that takes a free permit. */
    public int lastStepOfPermit() {
        return 1;
    }

    /** The statement after which a claim has happened: its own, which has names of ours, or a COMMIT after several. */
    public Predicate<String> commitsClaim() {
        return sql -> sql.contains("jobs_") && sql.contains("dibs_");
    }

    /** The same for a completion together with the next claim. */
    public Predicate<String> commitsTurn() {
        return commitsClaim();
    }

    /** The statement after which several locks are taken. */
    public Predicate<String> commitsLockAll() {
        return COMMIT;
    }

    /** Whether there are statements for many callers at once. */
    public boolean coalesces() {
        return true;
    }

    /** Has callers go together where this database lets them go one by one unless the dialect says otherwise. */
    public DibsBuilder together(DibsBuilder builder) {
        return builder;
    }

    /** The statement after which an acquire for many has happened. */
    public Predicate<String> lastStepForMany() {
        return MANY;
    }

    /**
     * How many statements of a race the database may roll back, which are then sent again. None where rows are locked in one
     * order whatever the plan; some where an update locks the entries of several indexes one after the other.
     */
    public int rolledBackInARace() {
        return 0;
    }

    /** How many rows a race of workers has, each in a transaction of its own; fewer where that takes too long. */
    public int raceRows() {
        return 20_000;
    }

    /** How many tokens 64 threads want; fewer where that many commits of their replays take too long. */
    public int racedTokens() {
        return 1000;
    }

    /** Whether a purge of tokens passes over a row that somebody has locked; else it waits. */
    public boolean purgeSkipsLockedRows() {
        return true;
    }

    /** Whether a row that somebody has locked delays the purge of others. */
    public boolean purgeWaits() {
        return false;
    }

    /** What makes a session's wait for a lock an error. */
    public String endsWaits() {
        return "SET innodb_lock_wait_timeout = 1";
    }

    /** What makes every INSERT of a name like slow-% into dibs_reader take more than half a second, and what ends that; empty where there is no way. */
    public List<List<String>> slowReaders() {
        return List.of(List.of(), List.of());
    }

    /** Makes a user who has no rights at all, and whose password is empty; null where one statement cannot. */
    public String newUser(String name) {
        return "CREATE USER " + name;
    }

    /** The type of a column for a UUID. */
    public String uuidType() {
        return "uuid";
    }

    /** The type of a column for texts of any alphabet. */
    public String textType() {
        return "varchar(60)";
    }

    /** A name quoted as this database has it. */
    public String quoted(String name) {
        return "\"" + name + "\"";
    }
}
