package dev.dibs.database;

import java.util.List;
import java.util.stream.Stream;

/** The databases, one of each per JVM. */
public final class TestDatabases {
    private static final List<TestDatabase> ALL = List.of(
            new H2Database(),
            new PostgresDatabase(),
            new MariaDbDatabase(),
            new MySqlDatabase(),
            new SqlServerDatabase());

    private TestDatabases() {}

    /** All of them, to be skipped one by one: see {@link TestDatabase#assumeAvailable()}. */
    public static List<TestDatabase> all() {
        return ALL;
    }

    /** Those that {@code -Ddibs.databases=h2,postgresql} names, else all. */
    public static List<TestDatabase> wanted() {
        List<String> names = Stream.of(System.getProperty("dibs.databases", "").split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .toList();
        for (String name : names) {
            if (ALL.stream().noneMatch(database -> database.name().equals(name))) {
                throw new IllegalArgumentException("-Ddibs.databases: there is no " + name + " among " + ALL);
            }
        }
        return ALL.stream()
                .filter(database -> names.isEmpty() || names.contains(database.name()))
                .toList();
    }

    /** The one of this class. */
    public static <D extends TestDatabase> D get(Class<D> type) {
        return ALL.stream().filter(type::isInstance).map(type::cast).findFirst().orElseThrow();
    }
}
