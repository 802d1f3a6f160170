package dev.dibs.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A worker's output for people; a file has all of it. */
final class LogLines {
    private static final int KIND = 60;
    /** A thread dump has some hundred lines. */
    private static final int LAST_LINES = 400;

    private final Path file;
    private final List<String> bad = new ArrayList<>();
    private final Map<String, Integer> kinds = new TreeMap<>();
    private final Deque<String> tail = new ArrayDeque<>();
    private String last = "";
    private int count;

    LogLines(Path file) {
        this.file = file;
    }

    /** A stack trace, or a worker's own report of an unexpected result, is bad. */
    synchronized void add(String line) {
        count++;
        kinds.merge(kind(line), 1, Integer::sum);
        if (line.startsWith("\tat ") && !last.startsWith("\tat ")) {
            bad.add(last + " .. " + line.strip());
        } else if (line.startsWith("SURPRISE")) {
            bad.add(line);
        }
        last = line;
        tail.add(line);
        if (tail.size() > LAST_LINES) {
            tail.remove();
        }
        try {
            Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String kind(String line) {
        String plain = line.replaceAll("'[^']*'", "..").replaceAll("[0-9]+", "n");
        return plain.substring(0, Math.min(plain.length(), KIND));
    }

    synchronized int count() {
        return count;
    }

    /** The last lines. */
    synchronized String tail() {
        return String.join("\n", tail);
    }

    synchronized void requireGood() {
        if (!bad.isEmpty()) {
            throw new AssertionError("see " + file + ": " + bad);
        }
    }

    /** How often each kind of line came, without its names and numbers. */
    synchronized Map<String, Integer> kinds() {
        return new TreeMap<>(kinds);
    }
}
