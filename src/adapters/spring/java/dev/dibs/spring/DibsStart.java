package dev.dibs.spring;

import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.DibsException;
import dev.dibs.Lease;
import dev.dibs.spring.DibsProperties.Tables;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Builds the bean, and shows that it works before anything uses it. */
final class DibsStart {

    /** Busy is as good as acquired: then another process has just done the same. */
    private static final String TRIAL = "dibs start";

    private DibsStart() {}

    static Dibs dibs(DataSource dataSource, DibsProperties properties, Stream<DibsBuilderCustomizer> customizers) {
        DibsBuilder builder = Dibs.builder(dataSource);
        Optional.ofNullable(properties.leaseLength()).ifPresent(builder::leaseLength);
        Optional.ofNullable(properties.tablePrefix()).ifPresent(builder::tablePrefix);
        Optional.ofNullable(properties.schema()).ifPresent(builder::schema);
        Optional.ofNullable(properties.dialect()).map(Dialect::named).ifPresent(builder::dialect);
        Optional.ofNullable(properties.holder()).ifPresent(builder::holder);
        customizers.forEach(customizer -> customizer.customize(builder));
        Dibs dibs = builder.build();
        try {
            prepare(dibs, properties.tables());
        } catch (DibsException e) {
            dibs.close();
            throw e;
        }
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
