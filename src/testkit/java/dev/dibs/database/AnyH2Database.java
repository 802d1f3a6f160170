package dev.dibs.database;

import com.zaxxer.hikari.HikariConfig;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The common part of all forms of H2: it is on the class path, and has one user, without a password. */
abstract class AnyH2Database extends TestDatabase {

    AnyH2Database(String name) {
        super(name);
    }

    AnyH2Database(String name, String folder) {
        super(name, folder);
    }

    AnyH2Database(String name, String folder, GivenServer given) {
        super(name, folder, given);
    }

    @Override
    public List<String> unfitKeys(String table, String column) {
        return List.of("CREATE UNIQUE INDEX " + table + "_two ON " + table + " (" + column + ", owner)");
    }

    @Override
    public List<String> looseTypes(String type) {
        return List.of(type.replace("casesensitive", "ignorecase"), type.replace("varchar_casesensitive", "char"));
    }

    @Override
    public String generated(String expression) {
        return "GENERATED ALWAYS AS (" + expression + ")";
    }

    @Override
    public final Optional<String> slowly(String column) {
        return Optional.of("hash('SHA-256', " + column + ", 12000) IS NOT NULL");
    }

    @Override
    public final List<List<String>> keepsRows(String table, String when) {
        return List.of(List.of("CREATE TRIGGER " + H2Keeper.named(table, when) + " BEFORE UPDATE ON " + table
                + " FOR EACH ROW CALL '" + H2Keeper.class.getName() + "'"));
    }

    @Override
    final String ownUser() {
        return "sa";
    }

    @Override
    public final List<List<String>> otherTables() {
        String driver = "'org.h2.Driver', 'jdbc:h2:mem:linked', 'sa', ''";
        return List.of(
                super.otherTables().get(0),
                List.of("DROP TABLE #", "CREATE LINKED TABLE # (" + driver + ", 'INFORMATION_SCHEMA.USERS')"));
    }

    @Override
    public final boolean claimsViews(int keyColumns) {
        return false;
    }

    @Override
    final Optional<String> obstacle() {
        return Optional.empty();
    }

    /** Columns: a bare counter that other connections increment has lost increments in 127 of 200 trials with eight columns each (2.5.252). */
    @Override
    Set<Trait> differences() {
        return Set.of(
                Trait.TELLS_OF_TRANSACTIONS_THAT_READ,
                Trait.SNAPSHOTS_PRECEDE_LOCKS,
                Trait.ADDS_COLUMNS_BESIDE_WRITERS,
                Trait.LOCKS_THE_NEWEST_ROW,
                Trait.CATALOG_SHOWS_ALL_COLUMNS);
    }

    @Override
    public List<String> hiddenEnds() {
        return Stream.concat(
                        super.hiddenEnds().stream(),
                        Stream.of(
                                "CREATE LOCAL TEMPORARY TABLE #_made (num int)",
                                "DROP TABLE #_made",
                                "UPDATE # SET num = num; CREATE TABLE #_made (num int)",
                                "DROP TABLE #_made",
                                "ANALYZE",
                                "SET MODE REGULAR",
                                "SET AUTOCOMMIT TRUE",
                                "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
                                "SCRIPT SIMPLE",
                                "COMMENT ON TABLE # IS 'x'",
                                "EXECUTE IMMEDIATE 'COMMIT'",
                                "// x\nCOMMIT"))
                .toList();
    }

    @Override
    public List<String> harmlessStatements() {
        return List.of(
                "SET @harmless = 1",
                "SET SCHEMA PUBLIC",
                "SET SCHEMA_SEARCH_PATH PUBLIC",
                "SET TIME ZONE LOCAL",
                "SET LOCK_TIMEOUT 1000",
                "SET QUERY_TIMEOUT 0",
                "CREATE LOCAL TEMPORARY TABLE dibs_harmless (num int) TRANSACTIONAL",
                "SHOW TABLES",
                "TABLE #",
                "EXPLAIN SELECT * FROM #",
                "CALL 1",
                "CALL 1; UPDATE # SET num = num; SELECT '; COMMIT'",
                "SET @harmless = 1; SAVEPOINT harmless; UPDATE # SET num = num; ROLLBACK TO SAVEPOINT harmless",
                "(SELECT 1)");
    }

    /** A procedure is a method that gets the connection. */
    @Override
    public final List<List<String>> refusals(String table, String event, String condition) {
        return List.of(List.of(H2Refusal.trigger(table, event, condition)));
    }

    @Override
    public List<String> endingProcedure() {
        return List.of("CREATE ALIAS #_ends FOR 'dev.dibs.database.H2Procedure.commit'", "{call #_ends()}");
    }

    @Override
    public List<String> begins() {
        return List.of("BEGIN");
    }

    /** CREATE SCHEMA has folded its name. */
    @Override
    public void useSchema(HikariConfig config, String schema) {
        config.setSchema(schema.toUpperCase(Locale.ROOT));
    }

    @Override
    public KeySamples keys() {
        return KeySamples.h2();
    }

    @Override
    public Plans plans() {
        return Plans.H2;
    }

    @Override
    public String numbers(int last) {
        return "(SELECT x AS n FROM system_range(0, " + last + ")) AS numbered";
    }

    @Override
    public String sha256(String text) {
        return "hash('SHA-256', " + text + ")";
    }

    @Override
    public SQLException lockTimeout() {
        return new SQLException("lock timeout", "HYT00", 50200);
    }

    @Override
    public MarkTypes markTypes() {
        return MarkTypes.h2();
    }
}
