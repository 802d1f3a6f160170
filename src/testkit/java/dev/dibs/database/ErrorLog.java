package dev.dibs.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** A server's complaints since this object was created, oldest first. */
@FunctionalInterface
public interface ErrorLog {
    List<String> entries();

    /**
     * Reads a log file from its present end on.
     *
     * @param head begins an entry; other lines belong to the entry before them
     * @param complaint is found in the entries that count
     */
    static ErrorLog ofFile(Path file, Pattern head, Pattern complaint) {
        byte[] before = read(file);
        return () -> {
            byte[] now = read(file);
            String since = new String(Arrays.copyOfRange(now, before.length, now.length), StandardCharsets.UTF_8);
            return entries(since, head).stream()
                    .filter(entry -> complaint.matcher(entry).find())
                    .toList();
        };
    }

    private static List<String> entries(String text, Pattern head) {
        List<String> entries = new ArrayList<>();
        for (String line : text.lines().toList()) {
            if (entries.isEmpty() || head.matcher(line).find()) {
                entries.add(line);
            } else {
                entries.set(entries.size() - 1, entries.get(entries.size() - 1) + "\n" + line);
            }
        }
        return entries;
    }

    private static byte[] read(Path file) {
        try {
            return Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
