package dev.dibs.cli;

import static org.awaitility.Awaitility.await;

import dev.dibs.database.FullTest;
import dev.dibs.database.H2Database;
import dev.dibs.database.H2ServerDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.junit.Closing;
import dev.dibs.process.ChildJvm;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code dibs console}. */
@Tag("process")
class ConsoleCommandTest extends Closing {

    private static final TestDatabase DATABASE = TestDatabases.get(H2Database.class);

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static Map<String, String> environment() {
        return environment(DATABASE.url());
    }

    private static Map<String, String> environment(String url) {
        return Map.of("DIBS_URL", url, "DIBS_USER", "sa", "DIBS_PASSWORD", "");
    }

    /** The command, in a thread that is interrupted in the end. */
    private static final class Running implements AutoCloseable {

        private static final Pattern LINK = Pattern.compile("http://\\S+/login\\?token=\\S+");

        private final PipedOutputStream keyboard = new PipedOutputStream();
        private final StringWriter printed = new StringWriter();
        private final Thread command;

        Running(Map<String, String> environment) throws IOException {
            PipedInputStream in = new PipedInputStream(keyboard);
            PrintWriter out = new PrintWriter(printed, true);
            command = new Thread(() -> Main.commandLine(environment, in, "console")
                    .setOut(out)
                    .setErr(out)
                    .execute("console", "--port", "0"));
            command.start();
        }

        void pressEnter() throws IOException {
            keyboard.write('\n');
            keyboard.flush();
        }

        String printed() {
            return printed.toString();
        }

        List<String> links() {
            return LINK.matcher(printed()).results().map(MatchResult::group).toList();
        }

        List<String> links(int count) {
            return await().atMost(PATIENCE).until(this::links, found -> found.size() == count);
        }

        @Override
        public void close() throws Exception {
            keyboard.close();
            command.interrupt();
            command.join(PATIENCE.toMillis());
            assertThat(command.isAlive()).isFalse();
        }
    }

    @Test
    void printsALinkForEachEnter() throws Exception {
        assertThat(new Cli(environment()).run("init").exitCode()).isZero();
        Running console = closing(new Running(environment()));
        String first = console.links(1).get(0);
        console.pressEnter();
        List<String> both = console.links(2);
        assertThat(both).doesNotHaveDuplicates();
        for (String link : both) {
            HttpResponse<String> page = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(URI.create(link)).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.body()).contains("Sign in");
        }
        assertThat(first).startsWith("http://127.0.0.1:");
    }

    @FullTest
    void anotherLinkNeedsNoDatabase() throws Exception {
        H2ServerDatabase server = new H2ServerDatabase();
        Map<String, String> environment = environment(server.url());
        assertThat(new Cli(environment).run("init").exitCode()).isZero();
        try (Running console = new Running(environment)) {
            console.links(1);
            server.kill();
            console.pressEnter();
            console.links(2);
        } finally {
            server.kill();
        }
    }

    @Test
    void aClosedConsoleLeavesNoExitHook() throws Exception {
        ChildJvm jvm = closing(
                ChildJvm.start(List.of("--add-opens=java.base/java.lang=ALL-UNNAMED"), Map.of(), Embedder.class));
        assertThat(jvm.awaitLine(line -> line.startsWith("while"), PATIENCE)).endsWith("[dibs-console-end]");
        assertThat(jvm.awaitLine(line -> line.startsWith("after"), PATIENCE)).endsWith("[]");
    }

    /** A JVM that goes on after the command has ended, and prints the shutdown hooks that are left. */
    public static final class Embedder {

        private Embedder() {}

        /** Without arguments. */
        public static void main(String[] none) throws Exception {
            Map<String, String> environment = environment("jdbc:h2:mem:embedder;DB_CLOSE_DELAY=-1");
            assertThat(new Cli(environment).run("init").exitCode()).isZero();
            try (Running console = new Running(environment)) {
                console.links(1);
                System.out.println("while: " + hooks());
            }
            System.out.println("after: " + hooks());
        }

        private static List<String> hooks() throws ReflectiveOperationException {
            Field hooks = Class.forName("java.lang.ApplicationShutdownHooks").getDeclaredField("hooks");
            hooks.setAccessible(true);
            return ((Map<?, ?>) hooks.get(null))
                    .keySet().stream()
                            .map(hook -> ((Thread) hook).getName())
                            .filter(name -> name.startsWith("dibs"))
                            .toList();
        }
    }

    @Test
    void aTakenPortIsReported() throws Exception {
        assertThat(new Cli(environment()).run("console", "--port", "70000").err())
                .contains("a port is a number from 0 to 65535");
        ServerSocket taken = closing(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        Cli.Outcome outcome = new Cli(environment()).run("console", "--port", String.valueOf(taken.getLocalPort()));
        assertThat(outcome.exitCode()).isNotZero();
        assertThat(outcome.err()).contains("127.0.0.1:" + taken.getLocalPort(), "--port 0");
    }
}
