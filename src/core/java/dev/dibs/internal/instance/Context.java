package dev.dibs.internal.instance;

import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.schema.Schema;
import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.SqlFailure;
import dev.dibs.internal.time.LocalClock;
import java.time.Duration;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * What a capability needs of the instance that it belongs to.
 *
 * @param database for calls on threads of the user's
 * @param background makes one more for a thread of the capability's own
 * @param holder the label for people
 * @param once for what shall be done once in a while over all nodes
 * @param open throws once the instance is closed
 */
public record Context(
        Database database,
        Supplier<Database> background,
        DataSource dataSource,
        Errors errors,
        Schema schema,
        Callbacks callbacks,
        LocalClock clock,
        String holder,
        Throttle once,
        Runnable open) {

    /** Takes a name for a length of time. */
    public interface Throttle {

        /**
         * Returns whether it was free. It is never released, but passes by time.
         *
         * @param database of the thread that asks
         */
        boolean take(Database database, String name, Duration length) throws SqlFailure;
    }

    /** Call it before the database is asked. */
    public void requireOpen() {
        open.run();
    }
}
