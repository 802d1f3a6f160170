package dev.dibs.rows;

/**
 * What is done with a row.
 *
 * @param <T> what a row is mapped to
 */
@FunctionalInterface
public interface RunWork<T> {

    /**
     * Works on one row, on a worker's thread, which is interrupted if the row is lost meanwhile.
     *
     * @throws Exception if it failed: the row is tried again later
     */
    void process(T row) throws Exception;
}
