package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.database.H2Database;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code dibs console}. */
class ConsoleCommandTest {

    private static final TestDatabase DATABASE = TestDatabases.get(H2Database.class);

    private static Map<String, String> environment() {
        return Map.of("DIBS_URL", DATABASE.url(), "DIBS_USER", DATABASE.user(), "DIBS_PASSWORD", DATABASE.password());
    }

    @Test
    void itPrintsALinkAndAnotherOneForEachEnter() throws Exception {
        assertThat(new Cli(environment()).run("init").exitCode()).isZero();
        PipedOutputStream keyboard = new PipedOutputStream();
        StringWriter out = new StringWriter();
        PipedInputStream in = new PipedInputStream(keyboard);
        Thread command = new Thread(() -> Main.commandLine(environment(), in)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(out, true))
                .execute("console", "--port", "0"));
        command.start();
        try {
            String first = links(out, 1).get(0);
            keyboard.write('\n');
            keyboard.flush();
            List<String> both = links(out, 2);
            assertThat(both).doesNotHaveDuplicates();
            for (String link : both) {
                HttpResponse<String> page = HttpClient.newHttpClient()
                        .send(HttpRequest.newBuilder(URI.create(link)).build(), HttpResponse.BodyHandlers.ofString());
                assertThat(page.statusCode()).isEqualTo(200);
                assertThat(page.body()).contains("Sign in");
            }
            assertThat(first).startsWith("http://127.0.0.1:");
        } finally {
            keyboard.close();
            command.interrupt();
            command.join(Duration.ofSeconds(30).toMillis());
        }
        assertThat(command.isAlive()).isFalse();
    }

    private static List<String> links(StringWriter out, int count) {
        Pattern link = Pattern.compile("http://\\S+/login\\?token=\\S+");
        return await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> link.matcher(out.toString())
                                .results()
                                .map(found -> found.group())
                                .toList(),
                        found -> found.size() == count);
    }

    @Test
    void whereItCanNotListenItSaysSo() throws Exception {
        assertThat(new Cli(environment()).run("console", "--port", "70000").err())
                .contains("a port is a number from 0 to 65535");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Cli.Outcome outcome = new Cli(environment()).run("console", "--port", String.valueOf(taken.getLocalPort()));
            assertThat(outcome.exitCode()).isNotZero();
            assertThat(outcome.err()).contains("127.0.0.1:" + taken.getLocalPort(), "--port 0");
        }
    }
}
