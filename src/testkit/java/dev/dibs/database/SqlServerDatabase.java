package dev.dibs.database;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** A running SQL Server, if the build gets its address: none can be embedded. */
public final class SqlServerDatabase extends GivenDatabase {

    SqlServerDatabase() {
        super("sqlserver");
    }

    @Override
    public String uuidType() {
        return "uniqueidentifier";
    }

    /** A user also needs a login to connect. */
    @Override
    public String newUser(String name) {
        return null;
    }

    @Override
    public String textType() {
        return "nvarchar(60)";
    }

    @Override
    public Predicate<String> commitsTurn() {
        return COMMIT;
    }

    @Override
    public String endsWaits() {
        return "SET LOCK_TIMEOUT 300";
    }

    /**
     * The driver ignores setSchema: a session begins in the schema of its user. There are SAVE TRANSACTION and ROLLBACK TRANSACTION. A
     * database compares names by its collation, which is one without case by default. SNAPSHOT, as {@link #higherIsolations} has it, needs
     * {@code ALTER DATABASE .. SET ALLOW_SNAPSHOT_ISOLATION ON}.
     */
    @Override
    Set<Trait> differences() {
        return Set.of(
                Trait.BATCHES,
                Trait.GUARD_TELLS_OF_NO_TRANSACTION,
                Trait.CHOOSES_SCHEMAS,
                Trait.HAS_SAVEPOINTS,
                Trait.NAMES_HAVE_CASE,
                Trait.SNAPSHOTS_PRECEDE_LOCKS,
                Trait.LOCKS_THE_NEWEST_ROW);
    }

    @Override
    public boolean runs(String statement) {
        return !statement.startsWith("retake_");
    }

    /** A write by the key, as the statement guard_lock is: a search by the name would lock every row that it passes. */
    @Override
    public String guardByFence() {
        return "UPDATE dibs_lock WITH (ROWLOCK, UPDLOCK) SET held_until = held_until + 1 OUTPUT inserted.fence"
                + " WHERE name_key = ? + N'.' AND fence = ? AND owner IS NOT NULL";
    }

    @Override
    public String selectUnlocked(String column, String table, String condition) {
        return "SELECT " + column + " FROM " + table + " WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK) WHERE "
                + condition;
    }

    @Override
    public List<String> hiddenEnds() {
        return List.of(
                "UPDATE # SET num = num; COMMIT; UPDATE # SET num = num",
                "UPDATE # SET num = num COMMIT",
                "SELECT ';'; COMMIT",
                "EXEC('COMMIT; BEGIN TRANSACTION')");
    }

    @Override
    public List<String> higherIsolations() {
        return List.of("TRANSACTION_SQL_SERVER_SNAPSHOT_ISOLATION_LEVEL");
    }

    @Override
    public List<String> harmlessStatements() {
        return List.of("SAVE TRANSACTION harmless", "CREATE TABLE #_made (num int)", "DROP TABLE #_made");
    }

    @Override
    public List<List<String>> refusals(String table, String event, String condition) {
        return List.of(List.of("CREATE TRIGGER " + table + "_refuses ON " + table + " AFTER " + event
                + " AS IF EXISTS (SELECT 1 FROM inserted AS NEW WHERE " + condition
                + ") THROW 50000, 'the row is frozen', 1"));
    }

    @Override
    public List<String> endingProcedure() {
        return List.of("CREATE PROCEDURE #_ends AS COMMIT; BEGIN TRANSACTION", "{call #_ends}");
    }

    @Override
    public List<String> strictModes() {
        return List.of("SET XACT_ABORT ON");
    }

    @Override
    public List<String> begins() {
        return List.of("BEGIN TRANSACTION");
    }

    @Override
    public KeySamples keys() {
        return KeySamples.sqlserver();
    }

    @Override
    public Plans plans() {
        return Plans.UNKNOWN;
    }

    @Override
    public String dropIndex(String index, String table) {
        return super.dropIndex(index, table) + " ON " + table;
    }

    @Override
    public SQLException lockTimeout() {
        return new SQLException("lock timeout", "S0045", 1222);
    }

    /** XACT_ABORT lets every error end the transaction. The others change texts of dates, and what a statement answers. */
    @Override
    public List<String> sessionModes() {
        return List.of(
                "SET XACT_ABORT ON",
                "SET LANGUAGE French",
                "SET DATEFORMAT dmy",
                "SET NOCOUNT ON",
                "SET IMPLICIT_TRANSACTIONS ON");
    }

    @Override
    public List<List<String>> otherTables() {
        return List.of(List.of("EXEC sp_rename N'#', N'#_whole'", "CREATE VIEW # AS SELECT * FROM #_whole"));
    }

    @Override
    public MarkTypes markTypes() {
        return MarkTypes.sqlserver();
    }
}
