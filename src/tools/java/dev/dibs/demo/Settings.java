package dev.dibs.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The settings. Each is a system property, or an environment variable with underscores and in capitals, which other users of the machine
 * cannot read: {@code demo.password} or {@code DEMO_PASSWORD}.
 *
 * @param url the database's; empty for an H2 of the demo's own
 * @param user the database's
 * @param password the database's
 * @param repository the local Maven repository
 * @param files a directory to use instead
 * @param time how long the work is to take, without the incidents
 * @param lease how long a worker that vanished keeps its rows, and the lock
 * @param keep whether the tables are kept
 */
record Settings(
        String url,
        String user,
        String password,
        Path repository,
        Optional<Path> files,
        Duration time,
        Duration lease,
        boolean keep) {

    private static final String DEFAULT_SECONDS = "25";
    private static final int LEAST_SECONDS = 8;
    private static final int MOST_SECONDS = 600;
    private static final Duration LEASE = Duration.ofSeconds(3);

    /**
     * Reads them.
     *
     * @param given overrides properties and variables
     */
    static Settings read(Map<String, String> given) {
        return new Settings(
                value(given, "demo.url", ""),
                value(given, "demo.user", ""),
                value(given, "demo.password", ""),
                Path.of(value(given, "demo.repository", defaultRepository())),
                Optional.of(value(given, "demo.files", ""))
                        .filter(path -> !path.isEmpty())
                        .map(Path::of),
                Duration.ofSeconds(seconds(value(given, "demo.seconds", DEFAULT_SECONDS))),
                LEASE,
                Boolean.parseBoolean(value(given, "demo.keep", "false")));
    }

    /** The name of a setting's environment variable. */
    static String variable(String name) {
        return name.toUpperCase(Locale.ROOT).replace('.', '_');
    }

    private static String value(Map<String, String> given, String name, String otherwise) {
        String value = given.getOrDefault(name, System.getProperty(name, System.getenv(variable(name))));
        return value == null || value.isBlank() ? otherwise : value.strip();
    }

    private static String defaultRepository() {
        return Path.of(System.getProperty("user.home"), ".m2", "repository").toString();
    }

    private static int seconds(String text) {
        if (!text.matches("[0-9]{1,4}")) {
            throw new IllegalArgumentException("demo.seconds is not a whole number: " + text);
        }
        return Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, Integer.parseInt(text)));
    }
}
