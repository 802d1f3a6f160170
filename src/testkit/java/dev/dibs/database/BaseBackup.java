package dev.dibs.database;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Copies the files of a running PostgreSQL server for a standby: the standby gets the missing changes from the server. */
final class BaseBackup {
    /** Files that belong to the process, or come over the network. */
    private static final Set<String> LEFT_OUT = Set.of("postmaster.pid", "epg-lock", "postgresql.auto.conf");

    private static final Set<String> KEPT_EMPTY = Set.of("pg_wal", "pg_dynshmem", "pg_stat_tmp");

    private BaseBackup() {}

    /** An existing directory is kept: by it PostgreSQL finds, and removes, what a killed server left in shared memory. */
    static void take(PostgresServer from, Path to, String primaryConnection) throws IOException, SQLException {
        empty(to);
        try (Connection connection = from.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_backup_start('standby', true)");
            copy(from.data(), to);
            try (ResultSet stop = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
                stop.next();
                Files.writeString(to.resolve("backup_label"), stop.getString(1));
            }
        }
        Files.writeString(to.resolve("postgresql.auto.conf"), "primary_conninfo = '" + primaryConnection + "'\n");
        Files.createFile(to.resolve("standby.signal"));
    }

    private static void empty(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            List<Path> deepestFirst;
            try (Stream<Path> paths = Files.walk(directory)) {
                deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path path : deepestFirst) {
                if (!path.equals(directory)) {
                    Files.delete(path);
                }
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Path target = to.resolve(from.relativize(directory).toString());
                if (!Files.isDirectory(target)) {
                    Files.createDirectory(target);
                }
                Files.setPosixFilePermissions(target, Files.getPosixFilePermissions(directory));
                return KEPT_EMPTY.contains(directory.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!LEFT_OUT.contains(file.getFileName().toString())) {
                    try {
                        Files.copy(file, to.resolve(from.relativize(file).toString()));
                    } catch (NoSuchFileException e) {
                        // The server has deleted it meanwhile, and its log has the deletion.
                        return FileVisitResult.CONTINUE;
                    }
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
    }
}
