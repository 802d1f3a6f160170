package dev.dibs.demo;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/** Closes resources, the last first, when the demo ends or the user ends it. */
final class Cleanup implements AutoCloseable {

    /** A resource to close; closing it twice does no harm. */
    interface Resource extends AutoCloseable {
        @Override
        void close();
    }

    private final Deque<Resource> resources = new ConcurrentLinkedDeque<>();
    private final Thread hook;

    private Cleanup(Progress progress) {
        hook = new Thread(
                () -> {
                    progress.silence();
                    closeAll();
                },
                "cleanup");
    }

    static Cleanup atExit(Progress progress) {
        Cleanup cleanup = new Cleanup(progress);
        Runtime.getRuntime().addShutdownHook(cleanup.hook);
        return cleanup;
    }

    <R extends Resource> R add(R resource) {
        resources.push(resource);
        return resource;
    }

    private void closeAll() {
        resources.forEach(Resource::close);
    }

    @Override
    public void close() {
        closeAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, and has begun to run the hook.
        }
    }
}
