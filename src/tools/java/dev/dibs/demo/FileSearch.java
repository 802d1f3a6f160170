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
import java.util.function.Predicate;

/** The files below a directory. */
final class FileSearch {

    /**
     * One file.
     *
     * @param path below the directory, with slashes
     * @param bytes its size
     */
    record Item(String path, long bytes) {}

    /**
     * The result of a search.
     *
     * @param files in the order of the file system
     * @param complete false if the time was up before the end
     */
    record Found(List<Item> files, boolean complete) {}

    private FileSearch() {}

    static boolean isJar(Path file) {
        return file.getFileName().toString().endsWith(".jar");
    }

    /** Searches a directory for a while; unreadable parts are skipped. */
    static Found find(Path root, Predicate<Path> wanted, Duration patience) throws IOException {
        Walk walk = new Walk(root, wanted, System.nanoTime() + patience.toNanos());
        Files.walkFileTree(root, walk);
        return new Found(List.copyOf(walk.found), !walk.stopped);
    }

    private static final class Walk extends SimpleFileVisitor<Path> {

        final List<Item> found = new ArrayList<>();
        boolean stopped;

        private final Path root;
        private final Predicate<Path> wanted;
        private final long deadline;

        Walk(Path root, Predicate<Path> wanted, long deadline) {
            this.root = root;
            this.wanted = wanted;
            this.deadline = deadline;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            stopped = System.nanoTime() - deadline > 0;
            return stopped ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile() && Files.isReadable(file) && wanted.test(file)) {
                found.add(new Item(root.relativize(file).toString().replace('\\', '/'), attributes.size()));
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
        }
    }
}
