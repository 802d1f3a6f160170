package dev.dibs.cli.database;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets the processes open and close the embedded database one at a time.
 *
 * <p>H2 finds out by itself which process hosts the database. But processes that start and end at the same moment meet errors: one is
 * becoming the host, or ceasing to be it. So a process locks a file before it opens or leaves the database. The operating system releases
 * that lock when the process ends, however it ends.
 */
final class DatabaseFileLock {

    private static final long PAUSE_NANOS = Duration.ofMillis(10).toNanos();

    private final Path file;
    private final Duration patience;
    private final ReentrantLock thisProcess = new ReentrantLock();
    private @Nullable FileChannel channel;

    DatabaseFileLock(Path file, Duration patience) {
        this.file = file;
        this.patience = patience;
    }

    /** Opens a resource. */
    interface Opening<T> {
        T open() throws SQLException;
    }

    /** Opens a resource while no other process opens or leaves. */
    <T> T pass(Opening<T> opening) throws SQLException {
        thisProcess.lock();
        try (FileLock ignored = lock()) {
            return opening.open();
        } catch (IOException e) {
            throw new SQLTransientConnectionException("The lock file " + file + " cannot be used: " + e, e);
        } finally {
            thisProcess.unlock();
        }
    }

    /** Keeps other processes out until this one has ended, with all its open resources. */
    void leave() {
        thisProcess.lock();
        try {
            lock();
        } catch (IOException e) {
            // Then other processes depend on H2's own handling.
        } finally {
            thisProcess.unlock();
        }
    }

    /** It tries again and again, since a thread that waits in lock() cannot be asked to stop. */
    private FileLock lock() throws IOException {
        long start = System.nanoTime();
        while (System.nanoTime() - start < patience.toNanos()) {
            FileLock lock = channel().tryLock();
            if (lock != null) {
                return lock;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        throw new IOException("another process has had it for " + patience);
    }

    private FileChannel channel() throws IOException {
        if (channel == null) {
            channel = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    EmbeddedDatabase.fileAttributes());
        }
        return channel;
    }
}
