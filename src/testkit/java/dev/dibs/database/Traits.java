package dev.dibs.database;

import com.zaxxer.hikari.HikariConfig;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The differences between databases that contracts must know: how many statements an operation takes, which of them commits, and how some
 * SQL is written. These are the usual values; a database overrides its differences.
 */
public abstract class Traits extends TransactionTraits {

    /** The statement that ends a transaction of several steps. */
    static final Predicate<String> COMMIT = "COMMIT"::equals;

    /** The statement of a batch for locks: a list, and a fence that grows or a row that is released. */
    public static final Predicate<String> MANY =
            sql -> (sql.contains("unnest(") || sql.contains("JSON_TABLE(") || sql.contains("ANY("))
                    && (sql.contains("greatest(") || sql.contains("owner = NULL"));

    /** How many statements it takes to acquire a free lock, to acquire a new name, and to renew. */
    public int[] price() {
        return new int[] {1, 1, 1};
    }

    /** Locks the row of a lock by its fence, without the owner, as docs/lab/protocol.md describes it. The parameters: name, fence. */
    public String guardByFence() {
        return "SELECT fence FROM dibs_lock WHERE name = ? AND fence = ? AND owner IS NOT NULL FOR UPDATE";
    }

    /**
     * Whether a transaction that writes locks the rows that it writes. Else it keeps all others from writing: they wait, and are rolled
     * back after their limit.
     */
    public boolean locksRows() {
        return true;
    }

    /** Whether one process reads the database's clock for all; else each process reads it for itself. */
    public boolean hasClock() {
        return true;
    }

    /** Whether a statement that changes rows and returns them is committed only when they have been read. */
    public boolean commitsOnceRead() {
        return false;
    }

    /** Whether {@code mvn verify} runs only the contracts on it that are {@link Core}. */
    public boolean onlyCore() {
        return false;
    }

    /** Whether it has CREATE SCHEMA. */
    public boolean hasSchemas() {
        return true;
    }

    /** Whether a pool can let its connections begin in a schema of its own: see {@link #useSchema}. */
    public boolean choosesSchemas() {
        return hasSchemas();
    }

    /** Whether quoted names that differ in case alone are different names. */
    public boolean namesHaveCase() {
        return true;
    }

    /** Whether it has the statements SAVEPOINT and ROLLBACK TO SAVEPOINT. JDBC has savepoints everywhere. */
    public boolean hasSavepoints() {
        return true;
    }

    /** Asks for the number of the session, where the doctor tells of old transactions; empty elsewhere. */
    public String sessionNumber() {
        return "";
    }

    /** The right without which a user sees no transactions of others. */
    public String rightToSeeSessions() {
        return "PROCESS";
    }

    /** Lets a session have a zone that is far from the server's. */
    public String farZone() {
        return "SET TIME_ZONE = '+13:00'";
    }

    /** Whether a column keeps values of its type alone. Else a decimal, a date or a UUID is what each program makes of it. */
    public boolean keepsTypes() {
        return true;
    }

    /** Whether a completion may change the key of a row in a table with a token column. */
    public boolean returnsOldKeys() {
        return true;
    }

    /** Whether a transaction that has done nothing is known from one that has. */
    public boolean knowsNewTransactions() {
        return true;
    }

    /** Whether an error undoes only its statement. Else the transaction accepts nothing more. */
    public boolean undoesOnlyTheStatement() {
        return true;
    }

    /** What INSERT is followed by so that a duplicate key ends the whole transaction; empty if there is no such thing. */
    public String orRollback() {
        return "";
    }

    /** Selects rows and locks them, without those that somebody else has locked. */
    public String selectUnlocked(String column, String table, String condition) {
        return "SELECT " + column + " FROM " + table + " WHERE " + condition + " FOR UPDATE SKIP LOCKED";
    }

    /** How many statements it takes to get a free permit, to get a new one, and to find all held. */
    public int[] priceOfPermit() {
        return new int[] {1, 1, 1};
    }

    /** How many statements it takes to admit a reader, to release it, and to admit a writer without readers. */
    public int[] priceOfReadAndWrite() {
        return new int[] {1, 1, 2};
    }

    /** A condition that is true and takes some hundredths of a second for each row, if there is one; the column is a number. */
    public Optional<String> slowly(String column) {
        return Optional.empty();
    }

    /** How many statements it takes to consume a token. */
    public int statementsOfConsume() {
        return 1;
    }

    /** The step of an acquire that acquires the lock. */
    public int lastStepOfAcquire() {
        return 1;
    }

    /** The step of an acquire that acquires a free permit. */
    public int lastStepOfPermit() {
        return 1;
    }

    /** The statement that completes a claim: its own, which contains names of Dibs, or a COMMIT after several. */
    public Predicate<String> commitsClaim() {
        return sql -> sql.contains("jobs_") && sql.contains("dibs_");
    }

    /** The same for a completion together with the next claim. */
    public Predicate<String> commitsTurn() {
        return commitsClaim();
    }

    /** The statement that completes an acquire of several locks. */
    public Predicate<String> commitsLockAll() {
        return COMMIT;
    }

    /** Whether it can run the form of a statement that its dialect has. A dialect inherits the standard form of what it never sends. */
    public boolean runs(String statement) {
        return true;
    }

    /** Whether there are statements for batches. */
    public boolean batches() {
        return true;
    }

    /** Lets a pool's connections begin in another schema. */
    public void useSchema(HikariConfig config, String schema) {
        config.setSchema(schema);
    }

    /** The last statement of a batch of acquires. */
    public Predicate<String> lastStepForMany() {
        return MANY;
    }

    /**
     * How many statements of a race the database may roll back, which are then sent again. None where rows are always locked in one order;
     * some where an update locks the entries of several indexes one after the other.
     */
    public int rolledBackInARace() {
        return 0;
    }

    /** Whether a guard finds nothing outside of a transaction. */
    public boolean guardTellsOfNoTransaction() {
        return false;
    }

    /** The statements of which the last one fails outside of a transaction; none where the guard tells. */
    public List<String> failsOutsideOfTransactions() {
        return List.of();
    }

    /** The statements that begin a transaction of several statements while autocommit is on; none where only the driver can. */
    public List<String> begins() {
        return List.of("BEGIN", "START TRANSACTION");
    }

    /** Whether it tells of an open transaction that has only read. */
    public boolean tellsOfTransactionsThatRead() {
        return true;
    }

    /** Whether a purge of tokens skips locked rows; else it waits. */
    public boolean purgeSkipsLockedRows() {
        return true;
    }

    /** Whether a locked row delays the purge of others. */
    public boolean purgeWaits() {
        return false;
    }

    /** The statement that makes a session's wait for a lock an error. */
    public String endsWaits() {
        return "SET innodb_lock_wait_timeout = 1";
    }

    /**
     * Statements that make every INSERT of a name like slow-% into dibs_reader take more than half a second, and those that end that; empty
     * if there is no way.
     */
    public List<List<String>> slowReaders() {
        return List.of(List.of(), List.of());
    }

    /** Creates a user without any right, and with an empty password; null if one statement cannot do that. */
    public String newUser(String name) {
        return "CREATE USER " + name;
    }

    /** Whether rows of a view over one table can be claimed, by a key of so many columns; else {@code build()} refuses it. */
    public boolean claimsViews(int keyColumns) {
        return true;
    }

    /** The type of a column for a UUID. */
    public String uuidType() {
        return "uuid";
    }

    /** The types of columns for a claim's end and token. */
    public MarkTypes markTypes() {
        return MarkTypes.usual();
    }

    /** The type of a column for texts of any alphabet. */
    public String textType() {
        return "varchar(60)";
    }

    /** Settings of a session under which all operations work. Each is a statement, or a property of the driver. */
    public List<String> sessionModes() {
        return List.of("SET TIME ZONE '+14:00'", "SET LOCK_TIMEOUT 1", "SET QUERY_TIMEOUT 20000");
    }

    /** Settings of a session under which Dibs cannot work, each with the name by which the error tells of it. */
    public Map<String, String> refusedModes() {
        return Map.of();
    }

    /** Settings under which some calls work and others do not, each with the subject of the doctor's finding. */
    public Map<String, String> modesForTheDoctor() {
        return Map.of();
    }

    /** Settings under which some letters do not reach the database, each with the subject of the doctor's finding. */
    public Map<String, String> withoutUnicode() {
        return Map.of();
    }

    /** Makes a table of several partitions of it, by a column of its key. Empty if this database has no partitions. */
    public List<String> partitions(String table, String column) {
        return List.of();
    }

    /** Ways to make something else of an ordinary table: each a list of statements about the table #. */
    public List<List<String>> otherTables() {
        return List.of(List.of("ALTER TABLE # RENAME TO #_whole", "CREATE VIEW # AS SELECT * FROM #_whole"));
    }

    /** A name quoted as this database has it. */
    public String quoted(String name) {
        return "\"" + name + "\"";
    }

    /** How its plans are read. */
    public Plans plans() {
        return Plans.TABULAR;
    }

    /** Updates the statistics of a table for its plans. */
    public String analyze(String table) {
        return "ANALYZE TABLE " + table;
    }

    /** Drops an index of a table. */
    public String dropIndex(String index, String table) {
        return "DROP INDEX " + index;
    }

    /** A table, for FROM, with one column n: the numbers from 0 to the last one. */
    public String numbers(int last) {
        return "(SELECT place - 1 AS n FROM JSON_TABLE(concat('[0', repeat(',0', " + last
                + "), ']'), '$[*]' COLUMNS (place FOR ORDINALITY)) AS listed) AS numbered";
    }

    /** The SHA-256 of a text. */
    public String sha256(String text) {
        return "unhex(sha2(" + text + ", 256))";
    }

    /** A wait for a lock that took too long, as its driver reports it. */
    public SQLException lockTimeout() {
        return new SQLException("lock timeout", "HY000", 1205);
    }

    /** Whether a node of its clusters refuses work while it is cut off from most of the others. */
    public boolean hasQuorum() {
        return false;
    }

    /** Whether a row that is locked is read as it is now, also in a transaction with an older snapshot. */
    public boolean locksTheNewestRow() {
        return false;
    }

    /** Whether a column can be added while others write the table. */
    public boolean addsColumnsBesideWriters() {
        return true;
    }

    /** Whether its catalog shows the columns of tables that the user may not read. */
    public boolean catalogShowsAllColumns() {
        return false;
    }

    /** The drivers of the clients in Python and in Node. */
    public String pythonDriver() {
        return "pymysql";
    }

    public String nodeDriver() {
        return "mysql2";
    }

    /** The types of keys. */
    public KeySamples keys() {
        return KeySamples.usual();
    }
}
