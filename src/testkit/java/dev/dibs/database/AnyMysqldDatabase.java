package dev.dibs.database;

import com.zaxxer.hikari.HikariConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** The common part of the tests' MariaDB and MySQL: a server of our own; a part of it is a schema. */
abstract class AnyMysqldDatabase extends TestDatabase {
    /** The server of this part; null for a server. */
    private final AnyMysqldDatabase whole;

    final String schema;
    private Mysqld server;

    /** A server. */
    AnyMysqldDatabase(String name, String folder) {
        this(name, folder, null);
    }

    /** A server that the tests start, or the one that is given. */
    AnyMysqldDatabase(String name, String folder, GivenServer given) {
        super(name, folder, given);
        whole = null;
        schema = "dibs";
    }

    /** A part of a server. */
    AnyMysqldDatabase(AnyMysqldDatabase whole, String schema) {
        super(whole.name(), schema, whole.given() == null ? null : whole.given().withSchema(schema));
        this.whole = whole;
        this.schema = schema;
    }

    abstract Mysqld install() throws Exception;

    abstract TestDatabase part(String withSchema);

    @Override
    public final Optional<String> slowly(String column) {
        return Optional.of("sleep(0.1 + 0 * " + column + ") = 0");
    }

    @Override
    public final List<List<String>> keepsRows(String table, String when) {
        return List.of(List.of("CREATE TRIGGER " + table + "_keeps BEFORE UPDATE ON " + table
                + " FOR EACH ROW BEGIN IF NEW.id <= 5 AND " + when + " THEN SET NEW.done_at = OLD.done_at,"
                + " NEW.request_token = OLD.request_token, NEW.claimed_until = OLD.claimed_until; END IF; END"));
    }

    @Override
    final String ownUser() {
        return Mysqld.USER;
    }

    @Override
    final int ownPort() {
        return whole == null ? server.port() : whole.port();
    }

    @Override
    public final ErrorLog errorLog() {
        DataSource dataSource = dataSource();
        return (whole == null ? server : whole.server).errorLog(dataSource);
    }

    @Override
    final void start() throws Exception {
        if (whole != null) {
            execute(whole.dataSource(), "CREATE DATABASE " + schema);
            return;
        }
        if (server == null) {
            server = install();
        }
        server.start(new DriverDataSource(urlAt(port()), user(), password()));
    }

    @Override
    final void crash() throws Exception {
        server.crash();
    }

    @Override
    final boolean ownCanRestart() {
        return whole == null;
    }

    /** No emoji, for one. */
    @Override
    final void narrow(HikariConfig config) {
        config.setConnectionInitSql("SET NAMES utf8mb3");
    }

    /** Locks of gaps between keys reach into the rows of other tests. */
    @Override
    final TestDatabase part() {
        return part(another("dibs").replace('-', '_'));
    }

    @Override
    public final String quoted(String name) {
        return "`" + name + "`";
    }

    @Override
    public List<String> hiddenEnds() {
        return Stream.concat(
                        super.hiddenEnds().stream(),
                        Stream.of(
                                "ANALYZE TABLE #",
                                "OPTIMIZE TABLE #",
                                "CREATE TABLE #_made (num int)",
                                "DROP TABLE #_made",
                                "UPDATE # SET num = num; CREATE TABLE #_made (num int)",
                                "DROP TABLE #_made",
                                "FLUSH TABLES #",
                                "#x\nCOMMIT",
                                "/*!COMMIT*/",
                                "SELECT \"a\\\"\"; COMMIT",
                                "SELECT 1 #c\n; COMMIT",
                                "SET sql_mode = '', autocommit = 1",
                                "SET `autocommit` = 1",
                                "DELETE FROM # WHERE num = 9; SET autocommit = 1",
                                "SELECT 1; SET @@autocommit = 1",
                                "DO 1; COMMIT AND CHAIN",
                                "SELECT 1; BEGIN"))
                .toList();
    }

    @Override
    public List<String> harmlessStatements() {
        return List.of(
                "CREATE TEMPORARY TABLE dibs_harmless (num int)",
                "DROP TEMPORARY TABLE dibs_harmless",
                "SET @harmless = 1",
                "SET SESSION sort_buffer_size = 1000000",
                "SET autocommit = 0",
                "SHOW TABLES",
                "DESCRIBE #",
                "EXPLAIN SELECT * FROM #",
                "CHECKSUM TABLE #",
                "DO 1",
                "PREPARE dibs_harmless FROM 'SELECT 1'",
                "DO 1; UPDATE # SET num = num; SELECT '; COMMIT'",
                "SELECT 1; SAVEPOINT harmless; UPDATE # SET num = num; ROLLBACK TO SAVEPOINT harmless",
                "(SELECT 1)");
    }

    @Override
    public final List<List<String>> refusals(String table, String event, String condition) {
        return Stream.of("45000", "77F01")
                .map(state -> List.of("CREATE TRIGGER " + table + "_refuses BEFORE " + event + " ON " + table
                        + " FOR EACH ROW IF " + condition + " THEN SIGNAL SQLSTATE '" + state
                        + "' SET MESSAGE_TEXT = 'the row is frozen'; END IF"))
                .toList();
    }

    @Override
    public List<String> endingProcedure() {
        return List.of("CREATE PROCEDURE #_ends() BEGIN UPDATE # SET num = num; COMMIT; END", "{call #_ends()}");
    }

    @Override
    public List<String> failingProcedure() {
        return List.of("CREATE PROCEDURE #_fails() BEGIN ROLLBACK; SIGNAL SQLSTATE '45D1C'; END", "{call #_fails()}");
    }

    @Override
    public String limitsPackets() {
        return "SET GLOBAL max_allowed_packet = #";
    }

    @Override
    public void sendSeveral(HikariConfig config) {
        config.addDataSourceProperty("allowMultiQueries", "true");
    }

    @Override
    public final int rolledBackInARace() {
        return 10;
    }

    @Override
    public final List<List<String>> slowReaders() {
        return List.of(
                List.of("CREATE TRIGGER #slow BEFORE INSERT ON #reader FOR EACH ROW"
                        + " BEGIN IF NEW.name LIKE 'slow-%' THEN DO sleep(0.7); END IF; END"),
                List.of("DROP TRIGGER #slow"));
    }

    @Override
    public final List<String> partitions(String table, String column) {
        return List.of("ALTER TABLE " + table + " PARTITION BY KEY (" + column + ") PARTITIONS 4");
    }

    @Override
    public final List<List<String>> otherTables() {
        return List.of(super.otherTables().get(0), partitions("#", "name"), List.of("ALTER TABLE # ENGINE = MyISAM"));
    }

    /** The modes of both. */
    static List<String> modes(String... more) {
        return Stream.concat(
                        Stream.of(
                                "SET sql_mode = ''",
                                "SET sql_mode = 'ANSI'",
                                "SET sql_mode = 'ANSI_QUOTES'",
                                "sessionVariables=sql_mode='NO_BACKSLASH_ESCAPES'",
                                "SET sql_mode = 'PAD_CHAR_TO_FULL_LENGTH'",
                                "SET sql_mode = 'TRADITIONAL'",
                                "SET sql_mode = 'HIGH_NOT_PRECEDENCE,IGNORE_SPACE,NO_UNSIGNED_SUBTRACTION,REAL_AS_FLOAT'",
                                "SET sql_safe_updates = 1",
                                "SET sql_auto_is_null = 1",
                                "SET group_concat_max_len = 4",
                                "SET time_zone = '+13:00'",
                                "SET innodb_lock_wait_timeout = 1",
                                "SET lock_wait_timeout = 5",
                                "SET div_precision_increment = 0",
                                "SET collation_connection = 'utf8mb4_general_ci'",
                                "SET max_sort_length = 64",
                                "SET transaction_isolation = 'SERIALIZABLE'"),
                        Stream.of(more))
                .toList();
    }

    @Override
    public boolean runs(String statement) {
        return !statement.equals("retake_each_lock");
    }

    @Override
    public String sessionNumber() {
        return "SELECT connection_id()";
    }

    @Override
    public String endsSession() {
        return "KILL #";
    }

    @Override
    public void useSchema(HikariConfig config, String schema) {
        config.setCatalog(schema);
    }

    @Override
    public String dropIndex(String index, String table) {
        return super.dropIndex(index, table) + " ON " + table;
    }

    @Override
    public Map<String, String> modesForTheDoctor() {
        return Map.of(
                "SET sql_select_limit = 1", "sql_select_limit", "SET completion_type = 'CHAIN'", "completion_type");
    }

    @Override
    public MarkTypes markTypes() {
        return MarkTypes.mysql();
    }
}
