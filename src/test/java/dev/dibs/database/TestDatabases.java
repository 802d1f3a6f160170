package dev.dibs.database;

import java.util.List;

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

    /** The one of this class. */
    public static <D extends TestDatabase> D get(Class<D> type) {
        return ALL.stream().filter(type::isInstance).map(type::cast).findFirst().orElseThrow();
    }
}
