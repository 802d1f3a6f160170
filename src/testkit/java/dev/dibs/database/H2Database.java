package dev.dibs.database;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Properties;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** H2 in a file that several processes share; this one hosts it as long as it lives. */
public final class H2Database extends AnyH2Database {
    private static final Pattern TRACE_ENTRY = Pattern.compile("^\\d{4}-\\d\\d-\\d\\d ");

    private Path file;
    /** While a connection is open here, no other process becomes the host. */
    @SuppressWarnings("UnusedVariable")
    private Connection host;

    H2Database() {
        super("h2", "h2", GivenServer.of("h2").orElse(null));
    }

    private H2Database(String folder) {
        super("h2", folder);
    }

    /** Clients read the port from a file, so it cannot be chosen. WRITE_DELAY: else a crash may lose commits. */
    @Override
    public String urlAt(int port) {
        return "jdbc:h2:async:" + file + ";AUTO_SERVER=TRUE;WRITE_DELAY=0";
    }

    /** Another one after each start. */
    @Override
    int ownPort() {
        Properties lock = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(file + ".lock.db"))) {
            lock.load(reader);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String server = lock.getProperty("server");
        return Integer.parseInt(server.substring(server.lastIndexOf(':') + 1));
    }

    /** It is embedded here: it crashes only with this process. */
    @Override
    boolean ownCanRestart() {
        return false;
    }

    @Override
    public ErrorLog errorLog() {
        url();
        return ErrorLog.ofFile(Path.of(file + ".trace.db"), TRACE_ENTRY, TRACE_ENTRY);
    }

    @Override
    void start() throws Exception {
        if (file == null) {
            // H2 reads it once: without it, the automatic server listens on all interfaces.
            System.setProperty("h2.bindAddress", "127.0.0.1");
            file = freshFolder().resolve("dibs");
        }
        host = new DriverDataSource(urlAt(0), user(), password()).getConnection();
    }

    @Override
    void crash() {
        throw new UnsupportedOperationException("see canRestart()");
    }

    /** H2 deadlocks if some sessions create and drop tables while others commit to a file without write delay. */
    @Override
    TestDatabase part() {
        return isGiven() ? this : own();
    }

    @Override
    TestDatabase own() {
        return new H2Database(another(name()));
    }

    @Override
    public String newUser(String name) {
        return "CREATE USER " + name + " PASSWORD ''";
    }

    /** A new slot takes a second statement. */
    @Override
    public int[] priceOfPermit() {
        return new int[] {1, 2, 1};
    }

    @Override
    public Predicate<String> commitsClaim() {
        return COMMIT;
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
    public int[] priceOfReadAndWrite() {
        return new int[] {2, 1, 2};
    }

    @Override
    public String endsWaits() {
        return "SET LOCK_TIMEOUT 300";
    }

    @Override
    public Predicate<String> lastStepForMany() {
        return COMMIT;
    }
}
