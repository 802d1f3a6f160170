package dev.dibs.servlet;

import static org.awaitility.Awaitility.await;

import dev.dibs.process.ChildJvm;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** The application of {@code servlet/web.xml}, in a container in a JVM of its own. */
final class WebApplication implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(100);

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final ChildJvm container;
    private final String url;

    WebApplication(ChildJvm container) throws InterruptedException {
        this.container = container;
        url = container.awaitLine(line -> line.startsWith("READY "), PATIENCE).substring("READY ".length());
    }

    /** A name that no other test uses, for a customer or a desk. */
    static String fresh(String what) {
        return what + NAMES.incrementAndGet();
    }

    Visitor visitor(String... headers) {
        return new Visitor(url, headers);
    }

    Visitor customer(String name) {
        return visitor("X-Customer", name);
    }

    void awaitInside(String desk, int number) {
        await().atMost(PATIENCE).until(() -> report(desk).startsWith(number + " "));
    }

    /** How many requests are at the desk, the largest number at once, and how many were served. */
    String report(String desk) throws IOException, InterruptedException {
        return visitor().get("/desk/look?desk=" + desk).body();
    }

    void letGo(String desk) throws IOException, InterruptedException {
        visitor().get("/desk/go?desk=" + desk);
    }

    void execute(String sql) throws IOException, InterruptedException {
        HttpResponse<String> answer = visitor().get("/desk/sql?sql=" + URLEncoder.encode(sql, StandardCharsets.UTF_8));
        if (answer.statusCode() != 200) {
            throw new AssertionError(answer.body());
        }
    }

    /** The container's log. */
    String log() {
        return String.join("\n", container.lines());
    }

    @Override
    public void close() {
        container.close();
    }
}
