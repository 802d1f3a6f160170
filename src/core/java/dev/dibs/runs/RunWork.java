package dev.dibs.runs;

/**
 * The work on a row.
 *
 * @param <T> the type that a row is mapped to
 */
@FunctionalInterface
public interface RunWork<T> {

    /**
     * Works on one row, on a worker's thread. The thread is interrupted if the row is lost, and if the work takes longer
     * than a minute after the workers were closed. Dibs' own statements are not interrupted, but those of the work are. If the work
     * uses an H2 file, open it by {@code jdbc:h2:async:}, or the interrupt closes the file for the whole process.
     *
     * @throws Exception if the work failed: the row is tried again later
     */
    void process(T row) throws Exception;
}
