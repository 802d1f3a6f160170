package dev.dibs.cdi;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/** The properties {@code dibs.*}: those of MicroProfile Config, or those of the JVM if the application does not have it. */
final class Settings {

    /** What happens to the tables at the start of the application. */
    enum Tables {
        /** Missing tables are created, and then checked. */
        CREATE,
        /** The start fails if tables are missing, or cannot be written. */
        CHECK,
        /** The tables are not looked at. */
        NONE;

        static Tables named(String name) {
            return Arrays.stream(values())
                    .filter(tables -> tables.toString().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("'" + name + "' is none of "
                            + Arrays.stream(values()).map(Tables::toString).collect(Collectors.joining(", "))));
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Function<String, Optional<String>> properties;

    private Settings(Function<String, Optional<String>> properties) {
        this.properties = properties;
    }

    static Settings read() {
        try {
            Class.forName("org.eclipse.microprofile.config.Config", false, Settings.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return new Settings(name -> Optional.ofNullable(System.getProperty(name)));
        }
        return new Settings(OfMicroProfile.properties());
    }

    /**
     * The value of a property, without the prefix of its name.
     *
     * @throws IllegalArgumentException if it cannot be read
     */
    <T> Optional<T> get(String name, Function<String, T> read) {
        String property = "dibs." + name;
        try {
            return properties.apply(property).map(read);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(property + ": " + e.getMessage(), e);
        }
    }

    /** Loaded only by an application that has it. */
    private static final class OfMicroProfile {

        static Function<String, Optional<String>> properties() {
            Config config = ConfigProvider.getConfig();
            return name -> config.getOptionalValue(name, String.class);
        }
    }
}
