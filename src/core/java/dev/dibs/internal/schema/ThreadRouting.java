package dev.dibs.internal.schema;

import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes data sources that choose another database for each thread. Dibs knows none of their classes, so their names decide. A class
 * of another name is not recognized.
 */
final class ThreadRouting {

    private static final Pattern NAME = Pattern.compile(
            "Rout(ing|ed|er).*DataSource|DataSourceRouter|(MultiTenant|TenantAware|Sharding).*DataSource");

    /** How wrappers name what is beneath. */
    private static final List<String> BENEATH = List.of("getTargetDataSource", "getDataSource", "getWrappedDataSource");

    private static final String OF_SPRING = "org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource";

    /** As deep as wrappers are looked into. */
    private static final int DEPTH = 10;

    private ThreadRouting() {}

    /**
     * The finding about a data source, if it routes.
     *
     * @param batching whether calls of many threads may go together
     */
    static List<Finding> examine(DataSource dataSource, boolean batching) {
        return nameOf(dataSource).map(name -> finding(name, batching)).stream().toList();
    }

    private static Finding finding(String name, boolean batching) {
        String together = batching ? "; calls that go together go where one of their callers goes" : "";
        return new Finding(
                batching ? Level.WARNING : Level.NOTE,
                "routing",
                name + " chooses a database for each thread, and the threads of Dibs have no tenant: leases are not"
                        + " renewed, and nothing is purged" + together,
                "Create one Dibs for each tenant, over a data source that does not route; docs/reference/locks.md says what else"
                        + " works with batching(false)");
    }

    /** The class that routes; empty if none is recognized. */
    static Optional<String> nameOf(DataSource dataSource) {
        DataSource looked = dataSource;
        for (int i = 0; looked != null && i < DEPTH; i++) {
            Optional<String> name = nameOf(looked.getClass());
            if (name.isPresent()) {
                return name;
            }
            if (wrapsSprings(looked)) {
                return Optional.of(OF_SPRING);
            }
            looked = beneath(looked);
        }
        return Optional.empty();
    }

    private static Optional<String> nameOf(Class<?> type) {
        return Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass)
                .filter(one -> NAME.matcher(one.getSimpleName()).find())
                .map(Class::getName)
                .findFirst();
    }

    private static boolean wrapsSprings(DataSource dataSource) {
        try {
            return dataSource.isWrapperFor(
                    Class.forName(OF_SPRING, false, dataSource.getClass().getClassLoader()));
        } catch (ClassNotFoundException | LinkageError | SQLException | RuntimeException e) {
            return false;
        }
    }

    private static @Nullable DataSource beneath(DataSource wrapper) {
        for (String name : BENEATH) {
            Object beneath = called(wrapper, name);
            if (beneath instanceof DataSource found && !found.equals(wrapper)) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable Object called(DataSource wrapper, String getter) {
        try {
            return wrapper.getClass().getMethod(getter).invoke(wrapper);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            return null;
        }
    }
}
