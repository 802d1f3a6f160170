package dev.dibs.database;

import com.zaxxer.hikari.HikariConfig;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One PostgreSQL server. */
public final class PostgresDatabase extends TestDatabase {
    private static final String PREFIX = "^\\S+ \\S+ \\S+ \\[\\d+\\] ";
    private static final Pattern ENTRY = Pattern.compile(PREFIX + "(LOG|WARNING|ERROR|FATAL|PANIC):");
    private static final Pattern COMPLAINT = Pattern.compile(PREFIX + "(WARNING|ERROR|FATAL|PANIC):");

    private final String fsync;
    private PostgresServer server;

    PostgresDatabase() {
        this(GivenServer.of("postgresql").orElse(null));
    }

    PostgresDatabase(GivenServer given) {
        super("postgresql", "postgresql", given);
        fsync = "on";
    }

    private PostgresDatabase(String name, String folder, String fsync) {
        super(name, folder);
        this.fsync = fsync;
    }

    /** Another server, which may forget commits if the machine crashes: for measurements without the disk. */
    public static PostgresDatabase withoutFsync() {
        return new PostgresDatabase("postgresql-without-fsync", "postgresql-without-fsync", "off");
    }

    /** Another server, for tests that damage it. */
    public static PostgresDatabase another() {
        return new PostgresDatabase("postgresql", another("postgresql"), "on");
    }

    @Override
    public Optional<String> slowly(String column) {
        return Optional.of("pg_sleep(0.1 + 0 * " + column + ") IS NOT NULL");
    }

    @Override
    public List<List<String>> keepsRows(String table, String when) {
        return Stream.of("NULL", "OLD")
                .map(instead -> List.of(
                        "CREATE OR REPLACE FUNCTION " + table
                                + "_keeps() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN IF NEW.id <= 5" + " AND " + when
                                + " THEN RETURN " + instead + "; END IF; RETURN NEW; END$$",
                        "CREATE TRIGGER " + table + "_keeps BEFORE UPDATE ON " + table
                                + " FOR EACH ROW EXECUTE FUNCTION " + table + "_keeps()"))
                .toList();
    }

    @Override
    public boolean seesUnmarkedRows() {
        return true;
    }

    @Override
    public String guardByFence() {
        return super.guardByFence().replace("FOR UPDATE", "FOR SHARE");
    }

    @Override
    String ownUser() {
        return PostgresServer.USER;
    }

    @Override
    public KeySamples keys() {
        return KeySamples.postgresql();
    }

    @Override
    public String urlAt(int somePort) {
        return PostgresServer.urlAt(somePort);
    }

    @Override
    int ownPort() {
        return server.port();
    }

    @Override
    public ErrorLog errorLog() {
        url();
        return ErrorLog.ofFile(server.log(), ENTRY, COMPLAINT);
    }

    /** The first process of the server; its children serve one connection each. */
    public long postmaster() throws IOException {
        url();
        return server.pid();
    }

    @Override
    Optional<String> obstacle() {
        return PostgresServer.obstacle();
    }

    @Override
    void start() throws Exception {
        if (server == null) {
            server = new PostgresServer(freshFolder(), Map.of("fsync", fsync));
        }
        server.start();
    }

    @Override
    void crash() throws IOException {
        server.crash();
    }

    /** A database in LATIN1. */
    @Override
    void narrow(HikariConfig config) {
        useDatabase(config, "LATIN1");
    }

    @Override
    void unencoded(HikariConfig config) {
        useDatabase(config, "SQL_ASCII");
    }

    private void useDatabase(HikariConfig config, String encoding) {
        String name = another(encoding.toLowerCase(Locale.ROOT)).replace('-', '_');
        try {
            execute(
                    dataSource(),
                    "CREATE DATABASE " + name + " ENCODING '" + encoding
                            + "' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        config.setJdbcUrl(url().replaceFirst("(:\\d+/)[^?]*", "$1" + name));
    }

    @Override
    TestDatabase own() {
        return another();
    }

    @Override
    public Predicate<String> commitsLockAll() {
        return sql -> sql.contains("new_owner");
    }

    @Override
    public List<String> unfitKeys(String table, String column) {
        return List.of(
                "CREATE UNIQUE INDEX ON " + table + " (" + column + ") WHERE owner IS NOT NULL",
                "CREATE UNIQUE INDEX ON " + table + " (lower(" + column + "))",
                "CREATE UNIQUE INDEX ON " + table + " (" + column + ", owner)",
                "ALTER TABLE " + table + " ADD CONSTRAINT \"Late\" UNIQUE (" + column + ") DEFERRABLE",
                "ALTER TABLE " + table + " ADD PRIMARY KEY (" + column + ") DEFERRABLE INITIALLY DEFERRED");
    }

    @Override
    public List<String> looseCollations() {
        return List.of(
                "CREATE COLLATION IF NOT EXISTS dibs_alike (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
                "CREATE COLLATION IF NOT EXISTS dibs_forms (provider = icu, locale = 'und', deterministic = false)");
    }

    @Override
    public List<String> looseTypes(String type) {
        return List.of(
                type.replace("varchar", "char"),
                type.replaceFirst("COLLATE.*", "COLLATE dibs_alike"),
                type.replaceFirst("COLLATE.*", "COLLATE dibs_forms"));
    }

    @Override
    public int[] priceOfReadAndWrite() {
        return new int[] {2, 1, 2};
    }

    @Override
    public List<List<String>> slowReaders() {
        return List.of(
                List.of(
                        "CREATE FUNCTION #slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN"
                                + " IF NEW.name LIKE ''slow-%'' THEN PERFORM pg_sleep(0.7); END IF; RETURN NEW; END'",
                        "CREATE TRIGGER #slow BEFORE INSERT ON #reader FOR EACH ROW EXECUTE FUNCTION #slow()"),
                List.of("DROP TRIGGER #slow ON #reader", "DROP FUNCTION #slow"));
    }

    @Override
    public List<String> partitions(String table, String column) {
        List<String> statements = new ArrayList<>(List.of(
                "ALTER TABLE " + table + " RENAME TO " + table + "_whole",
                "CREATE TABLE " + table + " (LIKE " + table + "_whole INCLUDING DEFAULTS INCLUDING INDEXES)"
                        + " PARTITION BY HASH (" + column + ")",
                "DROP TABLE " + table + "_whole"));
        for (int part = 0; part < 4; part++) {
            statements.add("CREATE TABLE " + table + "_" + part + " PARTITION OF " + table
                    + " FOR VALUES WITH (MODULUS 4, REMAINDER " + part + ")");
        }
        return statements;
    }

    @Override
    public List<List<String>> otherTables() {
        return List.of(
                super.otherTables().get(0),
                partitions("#", "name"),
                List.of("CREATE TABLE #_child () INHERITS (#)"),
                List.of(
                        "ALTER TABLE # RENAME TO #_whole",
                        "CREATE FOREIGN DATA WRAPPER #_wrapper",
                        "CREATE SERVER #_server FOREIGN DATA WRAPPER #_wrapper",
                        "CREATE FOREIGN TABLE # (name text, owner text, holder text, fence bigint, acquired_at bigint,"
                                + " held_until bigint) SERVER #_server"));
    }

    @Override
    public boolean claimsViews(int keyColumns) {
        return keyColumns == 1;
    }

    @Override
    Set<Trait> differences() {
        return Set.of(Trait.BATCHES_SEVERAL, Trait.SNAPSHOTS_PRECEDE_LOCKS, Trait.UNDOES_ONLY_THE_STATEMENT);
    }

    @Override
    public List<String> harmlessStatements() {
        return List.of(
                "DO $$ BEGIN NULL; END $$",
                "UPDATE # SET num = num; CREATE TABLE #_made (num int)",
                "DROP TABLE #_made",
                "SET LOCAL work_mem = '1MB'",
                "EXPLAIN ANALYZE SELECT * FROM #",
                "LOCK TABLE # IN SHARE MODE",
                "SET LOCAL work_mem = '1MB'; SAVEPOINT a; UPDATE # SET num = num; ROLLBACK TO a");
    }

    @Override
    public String sessionNumber() {
        return "SELECT pg_backend_pid()";
    }

    @Override
    public String endsSession() {
        return "SELECT pg_terminate_backend(#)";
    }

    @Override
    public String rightToSeeSessions() {
        return "pg_read_all_stats";
    }

    @Override
    public String farZone() {
        return "SET TIME ZONE '+13:00'";
    }

    @Override
    public List<String> sessionModes() {
        return List.of(
                "SET standard_conforming_strings = off",
                "SET DateStyle = 'ISO, DMY'",
                "SET IntervalStyle = sql_standard",
                "SET TimeZone = 'Asia/Kathmandu'",
                "SET search_path = pg_catalog, public",
                "SET row_security = off",
                "SET lock_timeout = '1ms'",
                "SET statement_timeout = '20s'",
                "SET idle_in_transaction_session_timeout = '20s'",
                "SET default_transaction_isolation = serializable",
                "SET default_transaction_deferrable = on",
                "SET transform_null_equals = on",
                "SET bytea_output = escape",
                "SET quote_all_identifiers = on",
                "SET extra_float_digits = -15",
                "SET array_nulls = off",
                "SET plan_cache_mode = force_generic_plan",
                "SET backslash_quote = on",
                "SET xmloption = document",
                "SET client_min_messages = error",
                "SET constraint_exclusion = on");
    }

    @Override
    public Map<String, String> refusedModes() {
        return Map.of("SET default_transaction_read_only = on", "default_transaction_read_only");
    }

    @Override
    public Map<String, String> withoutUnicode() {
        return Map.of("allowEncodingChanges=true;SET client_encoding = 'LATIN1'", "client_encoding");
    }

    @Override
    public List<List<String>> refusals(String table, String event, String condition) {
        return Stream.of("P0001", "45000", "77F01")
                .map(state -> List.of(
                        "CREATE OR REPLACE FUNCTION " + table + "_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                                + " RAISE EXCEPTION 'the row is frozen' USING ERRCODE = '" + state + "'; END $$",
                        "CREATE TRIGGER " + table + "_refuses BEFORE " + event + " ON " + table + " FOR EACH ROW WHEN ("
                                + condition + ") EXECUTE FUNCTION " + table + "_refuse()"))
                .toList();
    }

    @Override
    public String deferredForeignKey() {
        return "DEFERRABLE INITIALLY DEFERRED";
    }

    @Override
    public String endsWaits() {
        return "SET lock_timeout = '300ms'";
    }

    @Override
    public List<String> failsOutsideOfTransactions() {
        return List.of("LOCK TABLE dibs_lock IN ACCESS SHARE MODE");
    }

    @Override
    public Plans plans() {
        return Plans.POSTGRESQL;
    }

    @Override
    public String analyze(String table) {
        return "ANALYZE " + table;
    }

    @Override
    public String numbers(int last) {
        return "generate_series(0, " + last + ") AS n";
    }

    @Override
    public String sha256(String text) {
        return "sha256(convert_to(" + text + ", 'UTF8'))";
    }

    @Override
    public SQLException lockTimeout() {
        return new SQLException("lock timeout", "55P03", 0);
    }

    @Override
    public String pythonDriver() {
        return "psycopg";
    }

    @Override
    public String nodeDriver() {
        return "pg";
    }

    @Override
    public String phpDriver() {
        return "pdo_pgsql";
    }

    @Override
    public MarkTypes markTypes() {
        return MarkTypes.postgresql();
    }
}
