package dev.dibs.demo;

import java.nio.file.Path;
import java.util.List;

/**
 * What a worker is started with; the database's url, user and password come through the environment.
 *
 * @param number 1, 2 or 3
 * @param prefix of the run's tables
 * @param leaseMillis how long its leases are
 * @param pace when which directory is handed out
 * @param repository where the directories are
 */
record WorkerArguments(int number, String prefix, long leaseMillis, Pace pace, Path repository) {

    static WorkerArguments parse(String[] args) {
        return new WorkerArguments(
                Integer.parseInt(args[0]),
                args[1],
                Long.parseLong(args[2]),
                new Pace(Long.parseLong(args[3]), Long.parseLong(args[4]), Integer.parseInt(args[5])),
                Path.of(args[6]));
    }

    List<String> list() {
        return List.of(
                Integer.toString(number),
                prefix,
                Long.toString(leaseMillis),
                Long.toString(pace.start()),
                Long.toString(pace.millis()),
                Integer.toString(pace.directories()),
                repository.toString());
    }

    /** What it is called, also as the holder of its leases. */
    String name() {
        return nameOf(number);
    }

    static String nameOf(int number) {
        return "worker " + number;
    }
}
