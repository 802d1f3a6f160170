package dev.dibs.examples;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** All log entries of this JVM until it is closed. */
final class HeardLog extends Handler implements AutoCloseable {

    /** That of the library, too, since other tests keep its entries from the root. */
    private static final List<Logger> LOGGERS = List.of(Logger.getLogger(""), Logger.getLogger("dev.dibs"));

    private final Queue<String> entries = new ConcurrentLinkedQueue<>();

    /** Collects entries of the default level: another test may have set the loggers to a finer level. */
    HeardLog() {
        setLevel(Level.INFO);
        LOGGERS.forEach(logger -> logger.addHandler(this));
    }

    String text() {
        return String.join("", entries);
    }

    @Override
    public void publish(LogRecord entry) {
        if (isLoggable(entry)) {
            entries.add(new SimpleFormatter().format(entry));
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOGGERS.forEach(logger -> logger.removeHandler(this));
    }
}
