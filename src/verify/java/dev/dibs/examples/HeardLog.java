package dev.dibs.examples;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** All that is logged in this JVM until it is closed. */
final class HeardLog extends Handler implements AutoCloseable {

    private static final Logger ROOT = Logger.getLogger("");

    private final Queue<String> entries = new ConcurrentLinkedQueue<>();

    /** Hears what is logged by default: another test may have the loggers say more meanwhile. */
    HeardLog() {
        setLevel(Level.INFO);
        ROOT.addHandler(this);
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
        ROOT.removeHandler(this);
    }
}
