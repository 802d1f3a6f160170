package dev.dibs.examples;

import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A program of a page, as one node among others: its classes are loaded for it alone, and its output is its own. */
public final class PageNode {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    static {
        System.setOut(new PrintStream(new OutputOfEach(System.out), true, StandardCharsets.UTF_8));
    }

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final CountDownLatch endOfWork = new CountDownLatch(1);

    private PageNode() {}

    /** Starts its main method, on a thread of its own. */
    static PageNode start(Path classes, String type, String... arguments) {
        PageNode node = new PageNode();
        Group group = new Group(type, node);
        new Thread(group, () -> node.run(classes, type, arguments), type).start();
        return node;
    }

    private void run(Path classes, String type, String... arguments) {
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()}, PageNode.class.getClassLoader())) {
            loader.loadClass(type).getMethod("main", String[].class).invoke(null, (Object) arguments);
            end.complete(null);
        } catch (ReflectiveOperationException | IOException | RuntimeException e) {
            end.completeExceptionally(e);
        }
    }

    /** Waits until it has printed this line. */
    PageNode awaitLine(String line) {
        await().atMost(PATIENCE).until(() -> end.isDone() || lines().contains(line));
        return this;
    }

    /** The slow work of a page's program, in place of its sleep: it lasts until the test waits for the node's end. */
    public static void work() throws InterruptedException {
        PageNode node = current().orElseThrow();
        if (!node.endOfWork.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("the test has not waited for this node's end");
        }
    }

    /** Ends its work, waits for its end, and returns what it has printed. */
    List<String> output() throws Exception {
        endOfWork.countDown();
        end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return lines();
    }

    private List<String> lines() {
        return output.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** All threads of a node are in its group, those of its Dibs, too. */
    private static final class Group extends ThreadGroup {

        private final PageNode node;

        Group(String name, PageNode node) {
            super(name);
            this.node = node;
        }
    }

    /** The node whose thread this is. */
    private static Optional<PageNode> current() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group != null && !(group instanceof Group)) {
            group = group.getParent();
        }
        return group instanceof Group found ? Optional.of(found.node) : Optional.empty();
    }

    /** Passes on what no node has printed. */
    private static final class OutputOfEach extends OutputStream {

        private final OutputStream others;

        OutputOfEach(OutputStream others) {
            this.others = others;
        }

        @Override
        public void write(int one) throws IOException {
            mine().write(one);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            mine().write(bytes, from, length);
        }

        @Override
        public void flush() throws IOException {
            mine().flush();
        }

        private OutputStream mine() {
            return current().<OutputStream>map(node -> node.output).orElse(others);
        }
    }
}
