package dev.dibs.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** The results so far, one a line in a file that only grows; the last line of a key counts. */
final class Results {

    private final Path file;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, String> known = new LinkedHashMap<>();

    Results(Path file) throws IOException {
        this.file = file;
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                int tab = line.lastIndexOf('\t');
                known.put(line.substring(0, tab), line.substring(tab + 1));
            }
        }
    }

    String get(String key) {
        lock.lock();
        try {
            return known.getOrDefault(key, "");
        } finally {
            lock.unlock();
        }
    }

    void put(String key, String value) {
        lock.lock();
        try {
            known.put(key, value);
            Files.writeString(file, key + "\t" + value + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }

    Map<String, String> all() {
        lock.lock();
        try {
            return new LinkedHashMap<>(known);
        } finally {
            lock.unlock();
        }
    }
}
