package dev.dibs.cdi;

import dev.dibs.database.DriverDataSource;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import javax.sql.DataSource;

/** A data source that knows no transactions but its own. */
class Plain {

    @Produces
    @Singleton
    DataSource dataSource() {
        return new DriverDataSource(Applications.freshH2(), "sa", "");
    }
}
