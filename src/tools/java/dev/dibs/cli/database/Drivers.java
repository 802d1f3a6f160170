package dev.dibs.cli.database;

import dev.dibs.cli.verb.UsageError;
import dev.dibs.internal.sql.errors.Secrets;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The JDBC drivers: those in jars that the user names, and those that are packed into the command. */
public final class Drivers {

    private static final String SUBPROTOCOLS = "drivers.properties";

    /** The drivers that are packed into the command, by what follows jdbc: in a url. */
    private static final Map<String, String> PACKED = Map.of(
            "h2", "org.h2.Driver",
            "postgresql", "org.postgresql.Driver",
            "mariadb", "org.mariadb.jdbc.Driver",
            "sqlserver", "com.microsoft.sqlserver.jdbc.SQLServerDriver");

    private Drivers() {}

    /**
     * The driver for a url.
     *
     * @param jars files, separated as in a class path; null for none
     * @throws UsageError if there is none; the message says which one to get
     */
    public static Driver find(String url, @Nullable String jars) {
        try {
            Driver named = jars == null ? null : inJars(url, jars);
            if (named != null) {
                return named;
            }
            Driver packed = packed(url);
            return packed == null ? DriverManager.getDriver(url) : packed;
        } catch (SQLException e) {
            throw new UsageError("no driver takes the url '" + Secrets.maskUrl(url) + "'. " + advice(url));
        }
    }

    /** Without {@link DriverManager}, which loads the drivers of all databases. Null if there is none for this url. */
    private static @Nullable Driver packed(String url) throws SQLException {
        String type = PACKED.get(url.split(":", -1)[1]);
        if (type == null) {
            return null;
        }
        try {
            Driver driver = Class.forName(type)
                    .asSubclass(Driver.class)
                    .getDeclaredConstructor()
                    .newInstance();
            return driver.acceptsURL(url) ? driver : null;
        } catch (ReflectiveOperationException e) {
            // On a class path of the user's own it may be missing.
            return null;
        }
    }

    /** The jars stay open: the driver loads its classes when it needs them. */
    private static @Nullable Driver inJars(String url, String jars) throws SQLException {
        ClassLoader loader = new URLClassLoader(urls(jars), Drivers.class.getClassLoader());
        try {
            for (Driver driver : ServiceLoader.load(Driver.class, loader)) {
                if (driver.acceptsURL(url)) {
                    return driver;
                }
            }
            return null;
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new UsageError("no driver can be loaded from " + jars + ": " + Secrets.maskedToTheRoot(e)
                    + ". Name the jars that it needs, too, separated by '" + File.pathSeparator + "'");
        }
    }

    private static URL[] urls(String jars) {
        String[] names = jars.split(File.pathSeparator, -1);
        URL[] urls = new URL[names.length];
        for (int i = 0; i < names.length; i++) {
            Path jar = Path.of(names[i]);
            if (!Files.isRegularFile(jar)) {
                throw new UsageError("there is no file '" + names[i] + "': --driver and " + ConnectionOptions.DRIVER
                        + " name the jar of a JDBC driver, or several, separated by '" + File.pathSeparator + "'");
            }
            try {
                urls[i] = jar.toUri().toURL();
            } catch (MalformedURLException e) {
                throw new UncheckedIOException(e);
            }
        }
        return urls;
    }

    private static String advice(String url) {
        String packed =
                "Packed into the command are those for jdbc:h2:, jdbc:postgresql:, jdbc:mariadb: (for MySQL too) and"
                        + " jdbc:sqlserver:. ";
        String name = " Name its jar by --driver, or in " + ConnectionOptions.DRIVER;
        String artifact = artifact(url);
        return artifact == null
                ? packed + "See how the url is spelled, or get the driver of your database." + name
                : packed + "On Maven Central the one for this url is " + artifact + "." + name;
    }

    /** Group and artifact; null if the url's beginning is not known. */
    private static @Nullable String artifact(String url) {
        try (InputStream in = Drivers.class.getResourceAsStream(SUBPROTOCOLS)) {
            Properties known = new Properties();
            known.load(in);
            return known.getProperty(url.split(":", -1)[1]);
        } catch (IOException e) {
            throw new UncheckedIOException("the jar is incomplete: " + SUBPROTOCOLS, e);
        }
    }
}
