package dev.dibs;

import dev.dibs.sql.Database;
import java.util.Set;
import javax.sql.DataSource;

/** What runs need of the instance that they belong to. */
record RunContext(
        Database database,
        DataSource dataSource,
        Errors errors,
        LocalClock clock,
        String holder,
        Runnable requireOpenNow,
        Set<RunWorkers<?>> open) {

    /** Ends all workers of this instance. */
    void close() {
        open.forEach(RunWorkers::stop);
        open.forEach(RunWorkers::close);
    }

    void requireOpen() {
        requireOpenNow.run();
    }
}
