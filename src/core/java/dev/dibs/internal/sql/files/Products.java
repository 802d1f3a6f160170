package dev.dibs.internal.sql.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The dialect of a database, by {@code products.properties}.
 *
 * <p>The server's product decides and not the driver: the drivers of MariaDB and MySQL connect to both servers.
 */
public final class Products {

    private static final String FILE = "dialects/products.properties";
    private static final Map<String, Pattern> PATTERNS = load();

    private Products() {}

    private static Map<String, Pattern> load() {
        try (InputStream in = Products.class.getResourceAsStream(FILE)) {
            Properties properties = new Properties();
            properties.load(in);
            Map<String, Pattern> patterns = new TreeMap<>();
            properties.forEach((folder, product) -> patterns.put(
                    (String) folder, Pattern.compile((String) product, Pattern.DOTALL | Pattern.CASE_INSENSITIVE)));
            return Collections.unmodifiableMap(patterns);
        } catch (IOException e) {
            throw new UncheckedIOException("the jar is incomplete: " + FILE, e);
        }
    }

    /** The names of the library's dialects, sorted. */
    public static Set<String> dialects() {
        return PATTERNS.keySet();
    }

    /**
     * The dialect of a connected database.
     *
     * @throws IllegalArgumentException for a product without a folder: a default would be a guess
     */
    public static DialectFolder detect(DatabaseMetaData database) throws SQLException {
        return detect(database.getDatabaseProductName(), database.getDatabaseProductVersion());
    }

    /** Product and version as the driver reports them. Other engines may report the same product: see {@link RefusedProducts}. */
    public static String reported(DatabaseMetaData database) throws SQLException {
        return both(database.getDatabaseProductName(), database.getDatabaseProductVersion());
    }

    private static String both(String product, String version) {
        return product + " " + version;
    }

    static DialectFolder detect(String product, String version) {
        String both = both(product, version);
        return PATTERNS.entrySet().stream()
                .filter(entry -> entry.getValue().matcher(both).matches())
                .map(entry -> DialectFolder.named(entry.getKey()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no dialect for the database '" + product
                        + "' (version " + version + "); there are " + dialects()
                        + ". If it is a close relative of one of them, choose that with"
                        + " Dibs.builder(..).dialect(Dialect.named(..)); else give a folder with its dialect.sql:"
                        + " Dialect.at(path). With the command: --dialect"));
    }
}
