package dev.dibs.fault.worker;

import java.sql.SQLException;

/** An operation of a worker with Dibs, from its beginning to its end. */
interface Task {
    /**
     * Does it once, or tries.
     *
     * @throws dev.dibs.DatabaseFailureException as Dibs may during a fault
     * @throws SQLException as the database may during a fault
     */
    void run() throws SQLException;
}
