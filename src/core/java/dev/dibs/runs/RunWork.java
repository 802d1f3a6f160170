package dev.dibs.runs;

/**
 * What is done with a row.
 *
 * @param <T> what a row is mapped to
 */
@FunctionalInterface
public interface RunWork<T> {

    /**
     * Works on one row, on a worker's thread, which is interrupted if the row is lost meanwhile, and if the workers are closed and it
     * takes longer than a minute. Dibs' own statements are not interrupted, but those of the work are: a file of H2's that the work uses
     * should be opened by {@code jdbc:h2:async:}, or the interrupt closes it for the whole process.
     *
     * @throws Exception if it failed: the row is tried again later
     */
    void process(T row) throws Exception;
}
