package dev.dibs.cli.database;

import dev.dibs.cli.verb.UsageError;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The default database: H2 in a file of the user's home.
 *
 * <p>The first process opens it and serves the others, over a port of this machine that a file beside the database names. When that process
 * ends, the next one that needs a connection takes its place: see {@link DatabaseFileLock}.
 *
 * <p>A user of this database is its administrator, and can run code as its owner. So the directory and its files belong to the owner alone,
 * and the password is random.
 */
public final class EmbeddedDatabase {

    static final String FILE_LOCK = "dibs.door";
    static final String PASSWORD = "dibs.password";

    private static final String BIND_ADDRESS = "h2.bindAddress";
    private static final String MAX_RECONNECT = "h2.maxReconnect";

    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-------");
    private static final int PASSWORD_BYTES = 24;

    private EmbeddedDatabase() {}

    /**
     * H2 reads these once, when it is loaded. Without the first, its server listens on all interfaces. With the second, it does not
     * reconnect by itself: {@link Pool} finds a lost connection before it is used, and opens another one in order.
     */
    public static void configure() {
        System.setProperty(BIND_ADDRESS, System.getProperty(BIND_ADDRESS, "127.0.0.1"));
        System.setProperty(MAX_RECONNECT, System.getProperty(MAX_RECONNECT, "-1"));
    }

    /**
     * Creates the directory, for this user only, if it does not exist. A directory that others can write to, or that belongs to another
     * user, is refused.
     */
    static Target target(Map<String, String> environment) {
        Path directory = directory(environment);
        try {
            Files.createDirectories(directory, attributes(DIRECTORY_MODE));
            if (isPosix()) {
                check(directory);
            }
        } catch (IOException e) {
            throw new UsageError(
                    "the directory " + directory + " cannot be used (" + e + "); name a database with --url");
        }
        return new Target(url(directory.resolve("dibs")), "dibs", null, null, directory);
    }

    /** The shell's HOME; the JVM by itself would ask the system's list of users. */
    private static Path directory(Map<String, String> environment) {
        String home = environment.getOrDefault("HOME", "");
        return Path.of(home.isEmpty() ? System.getProperty("user.home") : home, ".dibs");
    }

    /**
     * async: an interrupt of a thread inside of H2 does not close the file. AUTO_SERVER: several processes at once. WRITE_DELAY=0: a grant
     * is not forgotten when the host is killed.
     */
    private static String url(Path file) {
        return "jdbc:h2:async:" + file + ";AUTO_SERVER=TRUE;WRITE_DELAY=0;TRACE_LEVEL_FILE=0";
    }

    private static void check(Path directory) throws IOException {
        UserPrincipal owner = Files.getOwner(directory);
        if (!owner.equals(me(directory))) {
            throw new UsageError("the directory " + directory + " belongs to " + owner.getName()
                    + ", who could use it to run code as you; set HOME, or name a database with --url");
        }
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(directory);
        if (mode.contains(PosixFilePermission.GROUP_WRITE) || mode.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new UsageError("others may write to the directory " + directory
                    + ", and could use it to run code as you; look at its files, and: chmod 700 " + directory);
        }
        if (!mode.equals(DIRECTORY_MODE)) {
            Files.setPosixFilePermissions(directory, DIRECTORY_MODE);
        }
    }

    /** The owner of the files that we create. A user's name would work only if the system's list of users has this user. */
    private static UserPrincipal me(Path directory) throws IOException {
        Path made = Files.createTempFile(directory, "dibs", ".tmp", attributes(FILE_MODE));
        try {
            return Files.getOwner(made);
        } finally {
            Files.delete(made);
        }
    }

    /** No other user may read or write the files. H2 creates them with the system's default rights. */
    static void tighten(Path directory) {
        if (!isPosix()) {
            return;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(each -> each.getFileName().toString().startsWith("dibs."))
                    .toList()) {
                tightenFile(file);
            }
        } catch (IOException e) {
            throw new UsageError("the directory " + directory + " cannot be read (" + e + ")");
        }
    }

    private static void tightenFile(Path file) {
        try {
            if (!Files.getPosixFilePermissions(file).equals(FILE_MODE)) {
                Files.setPosixFilePermissions(file, FILE_MODE);
            }
        } catch (IOException e) {
            // Another process has just deleted it, as H2 does with its lock file. The directory keeps other users out
            // anyway.
        }
    }

    /**
     * The database's password; a random one is created if there is none. Two processes must not do that at once: see {@link
     * DatabaseFileLock}.
     */
    static String password(Path directory) throws IOException {
        Path file = directory.resolve(PASSWORD);
        if (!Files.exists(file)) {
            byte[] random = new byte[PASSWORD_BYTES];
            new SecureRandom().nextBytes(random);
            // A process that is killed here leaves no half of a password.
            Path whole = Files.createTempFile(directory, PASSWORD, ".tmp", attributes(FILE_MODE));
            Files.writeString(whole, HexFormat.of().formatHex(random));
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return Files.readString(file).strip();
    }

    /** For a new file. */
    static FileAttribute<?>[] fileAttributes() {
        return attributes(FILE_MODE);
    }

    private static FileAttribute<?>[] attributes(Set<PosixFilePermission> mode) {
        return isPosix()
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(mode)}
                : new FileAttribute<?>[0];
    }

    private static boolean isPosix() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    }
}
