package dev.dibs.demo;

import java.nio.file.Path;
import java.util.List;

/**
 * The arguments of a worker; the database's URL, user and password are in its environment.
 *
 * @param number 1, 2 or 3
 * @param prefix of the run's tables
 * @param leaseMillis the length of its claims and its lease
 * @param batch how many rows it claims at once
 * @param rowsPerSecond the rate of all workers together
 * @param root the directory of the files
 */
record WorkerArguments(int number, String prefix, long leaseMillis, int batch, double rowsPerSecond, Path root) {

    static WorkerArguments parse(String[] args) {
        return new WorkerArguments(
                Integer.parseInt(args[0]),
                args[1],
                Long.parseLong(args[2]),
                Integer.parseInt(args[3]),
                Double.parseDouble(args[4]),
                Path.of(args[5]));
    }

    List<String> list() {
        return List.of(
                Integer.toString(number),
                prefix,
                Long.toString(leaseMillis),
                Integer.toString(batch),
                Double.toString(rowsPerSecond),
                root.toString());
    }

    /** Its name in the run's tables and as the holder of a lock. */
    String name() {
        return nameOf(number);
    }

    static String nameOf(int number) {
        return "worker " + number;
    }
}
