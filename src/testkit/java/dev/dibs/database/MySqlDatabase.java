package dev.dibs.database;

import dev.dibs.process.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** MySQL 8.0, from an archive inside a test library. */
public final class MySqlDatabase extends AnyMysqldDatabase {
    private static final String ARCHIVE = "/mysql-Linux-amd64.tar.gz";

    MySqlDatabase() {
        super("mysql", "mysql", GivenServer.of("mysql").orElse(null));
    }

    private MySqlDatabase(String folder) {
        super("mysql", folder);
    }

    private MySqlDatabase(MySqlDatabase whole, String schema) {
        super(whole, schema);
    }

    @Override
    public KeySamples keys() {
        return KeySamples.mysql();
    }

    /** Another server, for tests that damage it. */
    public static MySqlDatabase another() {
        return new MySqlDatabase(another("mysql"));
    }

    @Override
    public String urlAt(int port) {
        return "jdbc:mysql://127.0.0.1:" + port + "/" + schema + "?sslMode=DISABLED&allowPublicKeyRetrieval=true";
    }

    /** The same database by the driver of MariaDB. */
    public String mariadbDriverUrl() {
        url();
        return "jdbc:mariadb://127.0.0.1:" + port() + "/dibs?sslMode=disable&allowPublicKeyRetrieval=true";
    }

    @Override
    Optional<String> obstacle() throws Exception {
        if (!onLinuxX64()) {
            return Optional.of("The MySQL on the class path is for Linux on x86-64");
        }
        return missingLibraries(mysqld(base()));
    }

    private static Optional<String> missingLibraries(Path program) {
        try {
            return Shell.run(List.of("ldd", program.toString())).contains("not found")
                    ? Optional.of("MySQL 8 needs libaio1 and libnuma1: apt-get install libaio1 libnuma1")
                    : Optional.empty();
        } catch (IOException e) {
            // For example on a system with another C library.
            return Optional.of("MySQL 8 cannot be loaded here: " + e.getMessage());
        }
    }

    @Override
    Mysqld install() throws Exception {
        Path data = Workspace.once("mysql-data", MySqlDatabase::initialize);
        Path home = freshFolder();
        Workspace.copy(data, home.resolve("data"));
        return new Mysqld(home, program());
    }

    private static void initialize(Path data) throws Exception {
        List<String> command = new ArrayList<>(program());
        command.add(1, "--no-defaults");
        command.addAll(List.of("--initialize-insecure", "--datadir=" + data));
        if (Shell.asRoot()) {
            command.add("--user=root");
        }
        Shell.run(command);
    }

    private static List<String> program() throws Exception {
        Path base = base();
        return List.of(
                mysqld(base).toString(),
                "--basedir=" + base,
                "--lc-messages-dir=" + base.resolve("share"),
                "--innodb-use-native-aio=0",
                // They spin, which is for many processors.
                "--innodb-log-writer-threads=OFF",
                "--auto-generate-certs=OFF",
                "--caching-sha2-password-auto-generate-rsa-keys=OFF",
                "--mysqlx=0",
                "--skip-log-bin",
                "--secure-file-priv=NULL");
    }

    private static Path mysqld(Path base) {
        return base.resolve("bin/mysqld");
    }

    private static Path base() throws Exception {
        return Workspace.once("mysql", MySqlDatabase::unpack);
    }

    private static void unpack(Path base) throws IOException {
        Path archive = base.resolve("archive.tar.gz");
        try (InputStream in = MySqlDatabase.class.getResourceAsStream(ARCHIVE)) {
            Files.copy(in, archive);
        }
        Shell.run(List.of("tar", "xzf", archive.toString(), "-C", base.toString()));
        Files.delete(archive);
    }

    @Override
    TestDatabase part(String withSchema) {
        return new MySqlDatabase(this, withSchema);
    }

    @Override
    TestDatabase own() {
        return another();
    }

    /** It has no RETURNING: look, acquire, look. */
    @Override
    public int[] price() {
        return new int[] {3, 4, 3};
    }

    @Override
    public int lastStepOfAcquire() {
        return 3;
    }

    @Override
    public int[] priceOfPermit() {
        return new int[] {4, 6, 1};
    }

    @Override
    public int lastStepOfPermit() {
        return 4;
    }

    @Override
    public String uuidType() {
        return "char(36)";
    }

    @Override
    public Predicate<String> commitsClaim() {
        return COMMIT;
    }

    @Override
    public int statementsOfConsume() {
        return 2;
    }

    @Override
    Set<Trait> differences() {
        return Set.of(
                Trait.ONLY_CORE,
                Trait.HAS_QUORUM,
                Trait.PURGE_SKIPS_LOCKED_ROWS,
                Trait.BATCHES,
                Trait.KEEPS_REFUSED_ROWS);
    }

    @Override
    public int[] priceOfReadAndWrite() {
        return new int[] {3, 3, 4};
    }

    @Override
    public List<String> failsOutsideOfTransactions() {
        return List.of("SAVEPOINT dibs_guard", "RELEASE SAVEPOINT dibs_guard");
    }

    @Override
    public List<String> sessionModes() {
        return modes("SET max_execution_time = 20000", "SET explicit_defaults_for_timestamp = 0");
    }

    @Override
    public Map<String, String> withoutUnicode() {
        return Map.of("characterEncoding=latin1", "character_set_client");
    }

    @Override
    public Map<String, String> modesForTheDoctor() {
        Map<String, String> modes = new HashMap<>(super.modesForTheDoctor());
        modes.put("SET sql_mode = 'PAD_CHAR_TO_FULL_LENGTH'", "sql_mode");
        return modes;
    }
}
