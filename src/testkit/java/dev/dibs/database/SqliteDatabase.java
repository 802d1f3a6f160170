package dev.dibs.database;

import com.zaxxer.hikari.HikariConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** SQLite in a file that several processes share, in WAL mode. Each test has a file of its own: a file has one writer. */
public final class SqliteDatabase extends TestDatabase {

    private Path file;

    SqliteDatabase() {
        super("sqlite", "sqlite", GivenServer.of("sqlite").orElse(null));
    }

    private SqliteDatabase(String folder) {
        super("sqlite", folder);
    }

    @Override
    String ownUser() {
        return "";
    }

    @Override
    public String urlAt(int port) {
        return "jdbc:sqlite:" + file + "?busy_timeout=10000";
    }

    /** It has none. */
    @Override
    int ownPort() {
        return 0;
    }

    @Override
    boolean ownCanRestart() {
        return false;
    }

    @Override
    boolean ownErrorLogCanBeRead() {
        return false;
    }

    @Override
    Optional<String> obstacle() {
        return Optional.empty();
    }

    @Override
    void start() throws SQLException, IOException {
        file = freshFolder().resolve("dibs.db");
        execute(new DriverDataSource(urlAt(0), user(), password()), "PRAGMA journal_mode = WAL");
    }

    /** There is no server. */
    @Override
    void crash() {}

    @Override
    TestDatabase part() {
        return isGiven() ? this : own();
    }

    @Override
    TestDatabase own() {
        return new SqliteDatabase(another(name()));
    }

    /** The driver begins a transaction when autocommit is switched off. */
    @Override
    public List<String> unfitKeys(String table, String column) {
        return List.of(
                "CREATE UNIQUE INDEX " + table + "_part ON " + table + " (" + column + ") WHERE owner IS NOT NULL",
                "CREATE UNIQUE INDEX " + table + "_low ON " + table + " (lower(" + column + "))");
    }

    @Override
    public List<String> looseTypes(String type) {
        return List.of(type + " COLLATE NOCASE", type + " COLLATE RTRIM");
    }

    @Override
    Set<Trait> differences() {
        return Set.of(
                Trait.ONLY_CORE,
                Trait.CHANGES_COLUMNS,
                Trait.SHOWS_CHECKS,
                Trait.LOCKS_ROWS,
                Trait.HAS_CLOCK,
                Trait.HAS_SCHEMAS,
                Trait.RETURNS_OLD_KEYS,
                Trait.KEEPS_TYPES,
                Trait.KNOWS_NEW_TRANSACTIONS,
                Trait.BATCHES,
                Trait.PURGE_SKIPS_LOCKED_ROWS,
                Trait.PURGE_WAITS,
                Trait.COMMITS_ONCE_READ,
                Trait.CHOOSES_SCHEMAS);
    }

    @Override
    public String pythonDriver() {
        return "sqlite3";
    }

    /** Node's own, from 22 on; the client has no form for it. */
    @Override
    public String nodeDriver() {
        return "node:sqlite";
    }

    @Override
    public String phpDriver() {
        return "pdo_sqlite";
    }

    @Override
    public List<List<String>> keepsRows(String table, String when) {
        return List.of(List.of("CREATE TRIGGER " + table + "_keeps BEFORE UPDATE ON " + table + " WHEN NEW.id <= 5 AND "
                + when + " BEGIN SELECT RAISE(IGNORE); END"));
    }

    @Override
    public boolean seesUnmarkedRows() {
        return true;
    }

    @Override
    public boolean runs(String statement) {
        return !statement.startsWith("retake_each_");
    }

    /** A look comes first. */
    @Override
    public int[] price() {
        return new int[] {2, 2, 1};
    }

    @Override
    public int[] priceOfPermit() {
        return new int[] {2, 2, 1};
    }

    @Override
    public int[] priceOfReadAndWrite() {
        return new int[] {1, 1, 3};
    }

    @Override
    public int lastStepOfAcquire() {
        return 2;
    }

    @Override
    public int lastStepOfPermit() {
        return 2;
    }

    @Override
    public Predicate<String> commitsTurn() {
        return COMMIT;
    }

    @Override
    public String guardByFence() {
        return "UPDATE dibs_lock SET held_until = held_until WHERE name = ? AND fence = ? AND owner IS NOT NULL"
                + " RETURNING fence";
    }

    @Override
    public List<String> begins() {
        return List.of("BEGIN", "BEGIN IMMEDIATE");
    }

    @Override
    public String orRollback() {
        return "OR ROLLBACK";
    }

    @Override
    public String endsWaits() {
        return "PRAGMA busy_timeout = 300";
    }

    @Override
    public SQLException lockTimeout() {
        return new SQLException("the file is busy", null, 5);
    }

    @Override
    public boolean claimsViews(int keyColumns) {
        return false;
    }

    @Override
    public String newUser(String name) {
        return null;
    }

    @Override
    public String analyze(String table) {
        return "ANALYZE " + table;
    }

    @Override
    public List<String> higherIsolations() {
        return List.of("TRANSACTION_SERIALIZABLE");
    }

    @Override
    public List<String> harmlessStatements() {
        return List.of(
                "PRAGMA user_version", "EXPLAIN SELECT * FROM #", "CREATE TABLE #_made (num int)", "DROP TABLE #_made");
    }

    @Override
    public List<String> sessionModes() {
        return List.of(
                "reverse_unordered_selects=true",
                "foreign_keys=true",
                "recursive_triggers=true",
                "case_sensitive_like=true",
                "read_uncommitted=true",
                "transaction_mode=IMMEDIATE");
    }

    @Override
    public List<List<String>> refusals(String table, String event, String condition) {
        return Stream.of("ABORT", "FAIL", "ROLLBACK")
                .map(how -> List.of("CREATE TRIGGER " + table + "_refuses BEFORE " + event + " ON " + table + " WHEN "
                        + condition + " BEGIN SELECT RAISE(" + how + ", 'the row is frozen'); END"))
                .toList();
    }

    @Override
    public String deferredForeignKey() {
        return "DEFERRABLE INITIALLY DEFERRED";
    }

    @Override
    public void enforceForeignKeys(HikariConfig config) {
        config.addDataSourceProperty("foreign_keys", "true");
    }

    @Override
    public String fullDisk() {
        return "PRAGMA max_page_count = 1";
    }

    /** A claim is of several steps, a completion of one. */
    @Override
    public Predicate<String> commitsClaim() {
        return COMMIT.or(sql -> sql.contains("jobs_") && sql.contains("RETURNING"));
    }

    @Override
    public KeySamples keys() {
        return KeySamples.sqlite();
    }

    @Override
    public Plans plans() {
        return Plans.SQLITE;
    }

    /** There is no such function: another blob of which no two are equal. */
    @Override
    public String sha256(String text) {
        return "cast(" + text + " AS blob)";
    }

    @Override
    public String numbers(int last) {
        return "(WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < " + last
                + ") SELECT n FROM counted) AS numbered";
    }

    @Override
    public MarkTypes markTypes() {
        return MarkTypes.sqlite();
    }
}
