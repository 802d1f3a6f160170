package dev.dibs.database;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The databases, one of each per JVM. */
public final class TestDatabases {
    private static final List<TestDatabase> ALL = List.of(
            new H2Database(),
            new PostgresDatabase(),
            new MariaDbDatabase(),
            new MySqlDatabase(),
            new SqliteDatabase(),
            new SqlServerDatabase());

    /** By the names of their dialects, which have no class of their own yet. */
    private static final Map<String, TestDatabase> OTHERS = new ConcurrentHashMap<>();

    private TestDatabases() {}

    /** All of them, to be skipped one by one: see {@link TestDatabase#assumeAvailable()}. */
    public static List<TestDatabase> all() {
        return ALL;
    }

    /** Those that {@code -Ddibs.databases=h2,postgresql} names, else all. Another name is that of a new dialect, with its server's URL. */
    public static List<TestDatabase> wanted() {
        List<String> names = Stream.of(System.getProperty("dibs.databases", "").split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .toList();
        if (names.isEmpty()) {
            return ALL;
        }
        return names.stream().map(TestDatabases::named).toList();
    }

    /** Whether {@code -Ddibs.databases} names them. */
    static boolean areNamed() {
        return !System.getProperty("dibs.databases", "").isBlank();
    }

    private static TestDatabase named(String name) {
        return ALL.stream()
                .filter(database -> database.name().equals(name))
                .findFirst()
                .or(() -> GivenServer.of(name).map(given -> OTHERS.computeIfAbsent(name, GivenDatabase::new)))
                .orElseThrow(() -> new IllegalArgumentException("-Ddibs.databases: there is no " + name + " among "
                        + ALL + ". For a dialect of your own, add -D" + GivenServer.property(name) + "=jdbc:.."));
    }

    /** The one of this class. */
    public static <D extends TestDatabase> D get(Class<D> type) {
        return ALL.stream().filter(type::isInstance).map(type::cast).findFirst().orElseThrow();
    }
}
