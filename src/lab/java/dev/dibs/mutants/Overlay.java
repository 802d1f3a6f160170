package dev.dibs.mutants;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A folder on the boot class path: its files override the library's own, from one moment to the next. */
final class Overlay {

    private final Path folder;

    /** Leftovers of a killed run would be in force. */
    Overlay(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
        try (Stream<Path> left = Files.walk(folder)) {
            for (Path file :
                    left.filter(path -> path.toString().endsWith(".sql")).toList()) {
                Files.delete(file);
            }
        }
    }

    /** For a process whose statements, and those of its child processes, are to be wrong. */
    Map<String, String> environment() {
        return Map.of("JAVA_TOOL_OPTIONS", "-Xbootclasspath/a:" + folder);
    }

    /** For this process: loads all of Dibs anew, and reads its statements anew at each use. */
    ClassLoader loader() throws IOException {
        List<URL> urls = new ArrayList<>(List.of(folder.toUri().toURL()));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    /** Puts a mutant in force until it is closed. */
    Wrong with(Mutant mutant) throws IOException {
        Path wrong = folder.resolve("dev/dibs/internal/sql/files").resolve(mutant.file());
        Files.createDirectories(wrong.getParent());
        Files.writeString(wrong, mutant.text());
        return () -> {
            try {
                Files.delete(wrong);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    interface Wrong extends AutoCloseable {
        @Override
        void close();
    }
}
