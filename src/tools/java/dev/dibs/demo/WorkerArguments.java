package dev.dibs.demo;

import java.nio.file.Path;
import java.util.List;

/**
 * What a worker is started with; the database's url, user and password come through the environment.
 *
 * @param number 1, 2 or 3
 * @param prefix of the run's tables
 * @param leaseMillis how long its claims and its lease are
 * @param batch how many rows it claims at once
 * @param rowsPerSecond how fast all workers together may be
 * @param root where the files are
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

    /** What it is called, in the run's tables and as the holder of a lock. */
    String name() {
        return nameOf(number);
    }

    static String nameOf(int number) {
        return "worker " + number;
    }
}
