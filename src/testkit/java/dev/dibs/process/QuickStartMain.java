package dev.dibs.process;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import java.sql.Driver;
import java.util.ServiceLoader;

/** Loads the classes that most child JVMs need, to be archived by {@link SharedClasses}. */
final class QuickStartMain {

    private QuickStartMain() {}

    public static void main(String[] args) throws Exception {
        for (Driver driver : ServiceLoader.load(Driver.class)) {
            boolean unused = driver.acceptsURL("jdbc:h2:mem:start");
        }
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:start");
        try (HikariDataSource pool = new HikariDataSource(config);
                Dibs dibs = Dibs.on(pool)) {
            dibs.admin().createSchema();
            try (Lease lease = dibs.lock("start").tryAcquire().orElseThrow()) {
                lease.check();
            }
        }
    }
}
