package dev.dibs.junit;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;

/** A test that need not close what it opens; AssertJ's assertions are its own. */
public abstract class Closing extends Assertions {

    private final Deque<AutoCloseable> opened = new ConcurrentLinkedDeque<>();

    /** Closes it after the test; what was opened last is closed first. */
    public final <T extends AutoCloseable> T closing(T resource) {
        opened.push(resource);
        return resource;
    }

    @AfterEach
    final void closeAll() throws Exception {
        try (AutoCloseable resource = opened.pollLast()) {
            if (resource != null) {
                closeAll();
            }
        }
    }
}
