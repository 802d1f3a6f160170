package dev.dibs.internal.sql.files;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The dialect of a database, by {@code products.properties}.
 *
 * <p>The server's product decides and not the driver: the drivers of MariaDB and MySQL connect to both servers.
 */
public final class Products {

    private static final Map<String, Pattern> PATTERNS = new TreeMap<>();

    /** Engines that report the name of a known product and are another one: how to recognize them, and why they are refused. */
    private static final Map<Pattern, String> REFUSED = new LinkedHashMap<>();

    private static final Pattern PATTERN_AND_REASON = Pattern.compile("(.+?) -> (.+)");

    static {
        DialectFolder.ofJar("dialects/products.properties")
                .forEach((folder, product) -> PATTERNS.put(
                        folder, Pattern.compile(product.value(), Pattern.DOTALL | Pattern.CASE_INSENSITIVE)));
        DialectFolder.ofJar("dialects/refused.properties").forEach((name, entry) -> {
            Matcher parts = PATTERN_AND_REASON.matcher(entry.value());
            if (!parts.matches()) {
                throw entry.refused("expected 'pattern -> why', found: " + entry.value());
            }
            REFUSED.put(Pattern.compile(parts.group(1), Pattern.CASE_INSENSITIVE), parts.group(2));
        });
    }

    private Products() {}

    /** The names of the library's dialects, sorted. */
    public static Set<String> dialects() {
        return Collections.unmodifiableSet(PATTERNS.keySet());
    }

    /**
     * The dialect of a connected database.
     *
     * @throws IllegalArgumentException for a product without a folder: a default would be a guess
     */
    public static DialectFolder detect(DatabaseMetaData database) throws SQLException {
        return detect(database.getDatabaseProductName(), database.getDatabaseProductVersion());
    }

    /** Product and version as the driver reports them. Other engines may report the same product: see {@link #whyRefused}. */
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

    /**
     * Why an engine is refused, by {@code refused.properties}; empty for one that is not known to be another.
     *
     * @param reported product and version as the driver reports them
     * @param version the engine's own text; empty if it was not asked
     */
    public static Optional<String> whyRefused(String reported, String version) {
        String text = reported + "\n" + version;
        return REFUSED.entrySet().stream()
                .filter(engine -> engine.getKey().matcher(text).find())
                .map(Map.Entry::getValue)
                .findFirst();
    }
}
