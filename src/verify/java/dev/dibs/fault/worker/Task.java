package dev.dibs.fault.worker;

import java.sql.SQLException;

/** Something that a worker does with Dibs, from its beginning to its end. */
interface Task {
    /**
     * Does it once, or tries.
     *
     * @throws dev.dibs.DibsException as Dibs may say while something goes wrong
     * @throws SQLException as the database may say then
     */
    void run() throws SQLException;
}
