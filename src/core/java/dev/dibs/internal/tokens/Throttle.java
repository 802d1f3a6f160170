package dev.dibs.internal.tokens;

import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.time.Duration;

/** For tasks that run once in a while over all nodes. */
public interface Throttle {

    /**
     * Takes a name for a length of time, if it is free. It is never released, but ends by time.
     *
     * @param database that of the calling thread
     */
    boolean take(Database database, String name, Duration length) throws SqlFailure;
}
