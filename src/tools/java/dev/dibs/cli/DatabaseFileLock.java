package dev.dibs.cli;

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
 * <p>H2 finds out by itself who hosts the database, but processes that come and go at the same moment meet errors: one is
 * about to become the host, or about to stop being it. So whoever opens it, and whoever leaves, locks a file first. The
 * operating system gives that lock back when a process ends, however it ends.
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

    /** Opening something. */
    interface Opening<T> {
        T open() throws SQLException;
    }

    /** Opens something while no other process opens or leaves. */
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

    /** Keeps others out until this process has ended, and with it all that it has open. */
    void leave() {
        thisProcess.lock();
        try {
            lock();
        } catch (IOException e) {
            // Then the others must do with what H2 does by itself.
        } finally {
            thisProcess.unlock();
        }
    }

    /** Asks again and again, as a thread that waits inside of lock() cannot be told to stop waiting. */
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
