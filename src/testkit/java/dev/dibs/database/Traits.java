package dev.dibs.database;

import com.zaxxer.hikari.HikariConfig;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The differences between databases that contracts must know: how many statements an operation takes, which of them commits, and how some
 * SQL is written. These are the usual values; a database overrides its differences.
 */
public abstract class Traits {

    /** The statement that ends a transaction of several steps. */
    static final Predicate<String> COMMIT = "COMMIT"::equals;

    /** The statement of a batch for locks: a list, and a fence that grows or a row that is released. */
    public static final Predicate<String> MANY =
            sql -> (sql.contains("unnest(") || sql.contains("JSON_TABLE(") || sql.contains("ANY("))
                    && (sql.contains("greatest(") || sql.contains("owner = NULL"));

    /** Whether this database has the trait. */
    public final boolean has(Trait trait) {
        return trait.isUsual != differences().contains(trait);
    }

    /** The traits in which it is unusual: it has what others lack, or lacks what others have. */
    Set<Trait> differences() {
        return Set.of();
    }

    /** How many statements it takes to acquire a free lock, to acquire a new name, and to renew. */
    public int[] price() {
        return new int[] {1, 1, 1};
    }

    /** Locks the row of a lock by its fence, without the owner, as docs/lab/protocol.md describes it. The parameters: name, fence. */
    public String guardByFence() {
        return "SELECT fence FROM dibs_lock WHERE name = ? AND fence = ? AND owner IS NOT NULL FOR UPDATE";
    }

    /** Asks for the number of the session, where the doctor tells of old transactions; empty elsewhere. */
    public String sessionNumber() {
        return "";
    }

    /** Ends the session # from another one, with its transaction; empty where the number is not known. */
    public String endsSession() {
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

    /**
     * The ways in which a trigger keeps an UPDATE of the rows 1 to 5 from taking effect, without an error: the statements of each. The columns
     * are those of the contracts' jobs.
     *
     * @param when a further condition, about the row NEW where the database has row triggers in SQL
     */
    public List<List<String>> keepsRows(String table, String when) {
        return List.of();
    }

    /** Whether a claim itself notices rows that it has picked and that have not got its mark. */
    public boolean seesUnmarkedRows() {
        return false;
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

    /** The statements of which the last one fails outside of a transaction; none where the guard tells. */
    public List<String> failsOutsideOfTransactions() {
        return List.of();
    }

    /** The statements that begin a transaction of several statements while autocommit is on; none where only the driver can. */
    public List<String> begins() {
        return List.of("BEGIN", "START TRANSACTION");
    }

    /** The statement that makes a session's wait for a lock an error. */
    public String endsWaits() {
        return "SET innodb_lock_wait_timeout = 1";
    }

    /**
     * Statements that make every INSERT of a name like slow-% into the table of readers take more than half a second, and those that end
     * that; empty if there is no way. # is the tables' prefix.
     */
    public List<List<String>> slowReaders() {
        return List.of(List.of(), List.of());
    }

    /** Creates a user without any right, and with an empty password; null if one statement cannot do that. */
    public String newUser(String name) {
        return "CREATE USER " + name;
    }

    /** Statements that make a column of a table unique, but not so that no two of its rows have the same value. */
    public List<String> unfitKeys(String table, String column) {
        return List.of("CREATE UNIQUE INDEX " + table + "_part ON " + table + " (" + column + "(20))");
    }

    /** Makes the collations that {@link #looseTypes} names, if they are not there. */
    public List<String> looseCollations() {
        return List.of();
    }

    /** Types that compare other texts as equal than this type of an exact text. */
    public List<String> looseTypes(String type) {
        return List.of(
                type.replaceFirst("COLLATE \\w+", "COLLATE utf8mb4_bin"),
                type.replaceFirst("COLLATE \\w+", "COLLATE utf8mb4_unicode_ci"));
    }

    /** What makes a column of a table one that the database computes, after its type. */
    public String generated(String expression) {
        return "GENERATED ALWAYS AS (" + expression + ") STORED";
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

    /** The drivers of the clients in Python, Node and PHP. */
    public String pythonDriver() {
        return "pymysql";
    }

    public String nodeDriver() {
        return "mysql2";
    }

    public String phpDriver() {
        return "pdo_mysql";
    }

    /** The types of keys. */
    public KeySamples keys() {
        return KeySamples.usual();
    }

    /** Strings that end the transaction and do not begin with that; # is a table with a number. */
    public List<String> hiddenEnds() {
        return List.of(
                "UPDATE # SET num = num; COMMIT; UPDATE # SET num = num",
                "SELECT 1; COMMIT",
                "SELECT ';'; COMMIT",
                "SELECT 1 /* ; */ ; -- x\n COMMIT",
                "SELECT 'it''s'; COMMIT",
                "SELECT '; -- '; COMMIT",
                "SELECT '; /*'; COMMIT; SELECT '*/ SELECT'",
                "DELETE FROM # WHERE num = 9; ROLLBACK",
                "WITH x AS (SELECT 1 AS n) SELECT * FROM x; COMMIT");
    }

    /** Statements, besides the usual ones, that neither end a transaction nor fail; # is a table with a number. */
    public List<String> harmlessStatements() {
        return List.of();
    }

    /** A procedure that ends the transaction and begins another one: its definition, and its call; none if there is no such thing. */
    public List<String> endingProcedure() {
        return List.of();
    }

    /** The same for one that rolls the transaction back and fails with the state 45D1C. */
    public List<String> failingProcedure() {
        return List.of();
    }

    /**
     * Triggers of the user's that refuse a row with the words "the row is frozen": the statements of each. Each refuses in another way.
     * None if that is not known.
     *
     * @param event INSERT or UPDATE
     * @param condition about the columns of NEW
     */
    public List<List<String>> refusals(String table, String event, String condition) {
        return List.of();
    }

    /** What makes a foreign key one that is checked at the commit; empty where each is checked at once. */
    public String deferredForeignKey() {
        return "";
    }

    /** Lets a pool's connections check foreign keys. */
    public void enforceForeignKeys(HikariConfig config) {}

    /** The statement after which a session finds the disk full; empty where there is none. */
    public String fullDisk() {
        return "";
    }

    /** Limits the packets of new sessions to # bytes; empty where there is no such limit. */
    public String limitsPackets() {
        return "";
    }

    /** Lets the driver send several statements in one text. */
    public void sendSeveral(HikariConfig config) {}

    /** The isolations above READ COMMITTED. */
    public List<String> higherIsolations() {
        return List.of("TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE");
    }

    /** Settings of a session that differ in what a transaction sees of later commits. */
    public List<String> snapshotModes() {
        return List.of("SELECT 1");
    }

    /** Settings of a session under which more errors end the transaction. */
    public List<String> strictModes() {
        return List.of();
    }
}
