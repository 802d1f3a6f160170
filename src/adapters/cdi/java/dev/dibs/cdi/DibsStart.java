package dev.dibs.cdi;

import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.DibsException;
import dev.dibs.Lease;
import dev.dibs.cdi.Settings.Tables;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Shutdown;
import jakarta.enterprise.event.Startup;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.Interceptor;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Builds the bean, shows at the start that it works, and closes it before the application ends. */
@ApplicationScoped
class DibsStart {

    /** Busy is as good as acquired: then another process has just done the same. */
    private static final String TRIAL = "dibs start";

    @Inject
    @Any
    Instance<DataSource> dataSources;

    private volatile @Nullable Dibs built;

    /** After observers without a priority, which may migrate the database. */
    void start(@Observes @Priority(Interceptor.Priority.LIBRARY_AFTER) Startup event, Instance<Dibs> dibs) {
        // The bean is made when it is first asked for. The application may have one of its own.
        dibs.get();
    }

    /** The container ends beans in any order. So this comes before it ends the pool. */
    void stop(@Observes @Priority(Interceptor.Priority.LIBRARY_AFTER) Shutdown event) {
        close();
    }

    /** Does nothing if the application has a Dibs of its own, or was never started. */
    void close() {
        Dibs dibs = built;
        if (dibs != null) {
            dibs.close();
        }
    }

    /** The data source that has the tables of Dibs, and whose transactions can be guarded. */
    DataSource dataSource() {
        Instance<DataSource> marked = dataSources.select(DibsDataSource.Literal.INSTANCE);
        Instance<DataSource> found = marked.isUnsatisfied() ? dataSources.select(Default.Literal.INSTANCE) : marked;
        if (!found.isResolvable()) {
            throw new IllegalStateException(
                    (dataSources.isUnsatisfied()
                                    ? "Dibs needs a bean DataSource, and there is none"
                                    : "There are several beans DataSource, and none of them is the default one")
                            + ". Produce the one that has the tables of Dibs: @Produces @DibsDataSource DataSource dataSource;");
        }
        return found.get();
    }

    Dibs build() {
        Settings settings = Settings.read();
        DibsBuilder builder = Dibs.builder(dataSource());
        settings.get("lease-length", Durations::parse).ifPresent(builder::leaseLength);
        settings.get("table-prefix", String::toString).ifPresent(builder::tablePrefix);
        settings.get("schema", String::toString).ifPresent(builder::schema);
        settings.get("dialect", Dialect::named).ifPresent(builder::dialect);
        settings.get("holder", String::toString).ifPresent(builder::holder);
        Tables tables = settings.get("tables", Tables::named).orElse(Tables.CHECK);
        Dibs dibs = builder.build();
        try {
            prepare(dibs, tables);
        } catch (DibsException e) {
            dibs.close();
            throw e;
        }
        built = dibs;
        return dibs;
    }

    private static void prepare(Dibs dibs, Tables tables) {
        if (tables == Tables.CREATE) {
            dibs.admin().createSchema();
        }
        if (tables != Tables.NONE) {
            check(dibs, tables);
        }
    }

    /** A read-only replica passes each check but a write. */
    private static void check(Dibs dibs, Tables tables) {
        try {
            dibs.admin().checkSchema(Capability.LOCKS);
        } catch (DatabaseFailureException e) {
            throw new DatabaseFailureException(
                    e.getMessage()
                            + (tables == Tables.CREATE
                                    ? ""
                                    : ". Or let Dibs create its tables: dibs.tables=create. Or skip the check: dibs.tables=none"),
                    e);
        }
        dibs.lock(TRIAL).leaseLength(Duration.ofSeconds(1)).tryAcquire().ifPresent(Lease::close);
    }
}
