package dev.dibs.demo;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The directories of a local Maven repository that have jars in them. */
final class Artifacts {

    /**
     * One artifact's directory.
     *
     * @param path below the repository, with slashes
     * @param jars how many there are
     * @param bytes of all of them
     */
    record Directory(String path, int jars, long bytes) {}

    /**
     * What was found.
     *
     * @param directories in the order of the file system
     * @param complete false if time was up before all was seen
     */
    record Found(List<Directory> directories, boolean complete) {}

    private Artifacts() {}

    static boolean isJar(Path file) {
        return file.getFileName().toString().endsWith(".jar");
    }

    /** Looks through a repository for a while; what can not be read is passed over. */
    static Found find(Path repository, Duration patience) throws IOException {
        Walk walk = new Walk(repository, System.nanoTime() + patience.toNanos());
        Files.walkFileTree(repository, walk);
        return new Found(List.copyOf(walk.found), !walk.stopped);
    }

    /** The jars of one directory as they are now, by name; none if it has gone. */
    static List<Path> jarsOf(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Artifacts::isJar).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static final class Walk extends SimpleFileVisitor<Path> {

        final List<Directory> found = new ArrayList<>();
        boolean stopped;

        private final Path repository;
        private final long deadline;
        private int jars;
        private long bytes;

        Walk(Path repository, long deadline) {
            this.repository = repository;
            this.deadline = deadline;
        }

        /** Maven keeps no jars beside directories, so that a directory's files come one after the other. */
        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            stopped = System.nanoTime() - deadline > 0;
            startAnew();
            return stopped ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (isJar(file) && attributes.isRegularFile()) {
                jars++;
                bytes += attributes.size();
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
            if (jars > 0) {
                String path = repository.relativize(directory).toString().replace('\\', '/');
                found.add(new Directory(path, jars, bytes));
            }
            startAnew();
            return FileVisitResult.CONTINUE;
        }

        private void startAnew() {
            jars = 0;
            bytes = 0;
        }
    }
}
