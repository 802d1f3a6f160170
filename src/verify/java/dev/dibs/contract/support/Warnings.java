package dev.dibs.contract.support;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects the warnings of Dibs about one subject, on all threads: other tests may run at the same time. */
public final class Warnings extends Handler implements AutoCloseable {
    private static final Logger LOGGER = Logger.getLogger("dev.dibs");

    private final String about;
    private final Level least;
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();

    /** Those that contain the text. */
    public Warnings(String about) {
        this(about, Level.WARNING);
    }

    /** Those of this level or higher. */
    public Warnings(String about, Level least) {
        this.about = about;
        this.least = least;
        LOGGER.addHandler(this);
    }

    public List<String> heard() {
        return List.copyOf(heard);
    }

    @Override
    public void publish(LogRecord line) {
        if (line.getLevel().intValue() >= least.intValue() && line.getMessage().contains(about)) {
            heard.add(line.getMessage());
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOGGER.removeHandler(this);
    }
}
