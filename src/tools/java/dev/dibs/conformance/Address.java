package dev.dibs.conformance;

import java.net.URI;
import java.util.Map;

/**
 * Where a database listens, or its file.
 *
 * @param host empty for a file
 * @param database its name
 */
record Address(String host, int port, String database) {

    private static final String JDBC = "jdbc:";
    private static final String FILE = "jdbc:sqlite:";
    private static final Map<String, Integer> PORTS = Map.of("postgresql", 5432, "mariadb", 3306, "mysql", 3306);

    /**
     * That of a JDBC URL.
     *
     * @throws IllegalArgumentException if it names no host or database, or is of another kind
     */
    static Address of(String url) {
        if (url.startsWith(FILE) && url.charAt(url.length() - 1) != ':') {
            return new Address("", 0, withoutParameters(url.substring(FILE.length())));
        }
        URI uri = URI.create(url.startsWith(JDBC) ? withoutParameters(url.substring(JDBC.length())) : "");
        Integer usual = PORTS.get(String.valueOf(uri.getScheme()));
        String path = String.valueOf(uri.getPath());
        if (usual == null || uri.getHost() == null || path.length() < 2) {
            throw new IllegalArgumentException(
                    "a client is tried on a server that is reached by host and port: write --url as"
                            + " jdbc:postgresql://localhost:5432/shop, or with jdbc:mariadb or jdbc:mysql; or on a file:"
                            + " jdbc:sqlite:shop.db");
        }
        return new Address(uri.getHost(), uri.getPort() < 0 ? usual : uri.getPort(), path.substring(1));
    }

    boolean isFile() {
        return host.isEmpty();
    }

    /** They may hold what no URI may. */
    private static String withoutParameters(String url) {
        int question = url.indexOf('?');
        return question < 0 ? url : url.substring(0, question);
    }
}
