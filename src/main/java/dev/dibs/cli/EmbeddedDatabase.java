package dev.dibs.cli;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The database for who has given none: H2 in a file of the user's home.
 *
 * <p>The first process opens it and serves the others, over a port of this machine that a file beside the database names.
 * When that process ends, the next one that needs a connection takes its place: see {@link Door}.
 */
final class EmbeddedDatabase {

    private static final String BIND_ADDRESS = "h2.bindAddress";
    private static final String MAX_RECONNECT = "h2.maxReconnect";
    private static final String UNTESTED = "com.zaxxer.hikari.aliveBypassWindowMs";

    private EmbeddedDatabase() {}

    /**
     * Read once, when H2 and the pool are loaded. Without the first H2's server listens on all interfaces. By the others a
     * lost connection stays lost and is found out before it is used, and the pool opens another one in an orderly way.
     */
    static void configure() {
        System.setProperty(BIND_ADDRESS, System.getProperty(BIND_ADDRESS, "127.0.0.1"));
        System.setProperty(MAX_RECONNECT, System.getProperty(MAX_RECONNECT, "-1"));
        System.setProperty(UNTESTED, System.getProperty(UNTESTED, "0"));
    }

    /** Makes the directory, for this user only, if it is not there. */
    static Target target() {
        Path directory = directory();
        try {
            Files.createDirectories(directory, ownerOnly());
        } catch (IOException e) {
            throw new Mistake(
                    "the directory " + directory + " can not be made (" + e + "); name a database with --url");
        }
        return new Target(url(directory.resolve("dibs")), "dibs", "", true);
    }

    static Path directory() {
        return Path.of(System.getProperty("user.home"), ".dibs");
    }

    /**
     * async: an interrupt of a thread that is inside of H2 does not close the file. AUTO_SERVER: several processes at once.
     * WRITE_DELAY=0: what was granted is not forgotten when its host is killed.
     */
    private static String url(Path file) {
        return "jdbc:h2:async:" + file + ";AUTO_SERVER=TRUE;WRITE_DELAY=0;TRACE_LEVEL_FILE=0";
    }

    private static FileAttribute<?>[] ownerOnly() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                }
                : new FileAttribute<?>[0];
    }
}
