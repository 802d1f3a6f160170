package dev.dibs.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * What can be chosen. Each is a system property, or an environment variable with underscores and in capitals, which other
 * users of the machine can not read: {@code demo.password} or {@code DEMO_PASSWORD}.
 *
 * @param url the database's; empty for an H2 of the demo's own
 * @param user the database's
 * @param password the database's
 * @param repository the local Maven repository
 * @param time how long the work is to take
 * @param lease how long a worker that vanished keeps its directory
 * @param keep whether the tables stay there to be looked at
 */
record Settings(
        String url, String user, String password, Path repository, Duration time, Duration lease, boolean keep) {

    private static final String DEFAULT_SECONDS = "30";
    private static final int LEAST_SECONDS = 8;
    private static final int MOST_SECONDS = 600;
    private static final Duration LEASE = Duration.ofMillis(2_500);

    static Settings read() {
        return new Settings(
                value("demo.url", ""),
                value("demo.user", ""),
                value("demo.password", ""),
                Path.of(value("demo.repository", defaultRepository())),
                Duration.ofSeconds(seconds(value("demo.seconds", DEFAULT_SECONDS))),
                LEASE,
                Boolean.parseBoolean(value("demo.keep", "false")));
    }

    /** The name of a setting's environment variable. */
    static String variable(String name) {
        return name.toUpperCase(Locale.ROOT).replace('.', '_');
    }

    private static String value(String name, String otherwise) {
        String value = System.getProperty(name, System.getenv(variable(name)));
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
