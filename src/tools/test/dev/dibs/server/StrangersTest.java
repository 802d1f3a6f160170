package dev.dibs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What other users of the same machine can do to the console's server. */
@Tag("unit")
class StrangersTest extends ServedConsole {

    private final HttpClient client = HttpClient.newHttpClient();

    private HttpResponse<String> get(String uri, String... headers) throws Exception {
        return get(Duration.ofMinutes(1), uri, headers);
    }

    private HttpResponse<String> get(Duration patience, String uri, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri)).timeout(patience);
        return client.send(
                (headers.length == 0 ? request : request.headers(headers)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> signIn(ConsoleServer where, String link) throws Exception {
        String token = link.substring(link.indexOf('?') + 1);
        return client.send(
                HttpRequest.newBuilder(URI.create(where.address() + "login"))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(token))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private Socket send(String text) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @Test
    void theCookieIsSentToNoPathThatOthersCanGuess() throws Exception {
        String path = URI.create(server.address()).getPath();
        assertThat(path).matches("/[0-9a-f]{32}/");
        assertThat(signIn(server, server.link())
                        .headers()
                        .firstValue("Set-Cookie")
                        .orElseThrow())
                .contains("Path=" + path, "HttpOnly", "SameSite=Strict");
        HttpResponse<String> root = get("http://127.0.0.1:" + port() + "/");
        assertThat(root.statusCode()).isEqualTo(403);
        assertThat(root.body()).contains("Not signed in").doesNotContain(path);
        try (ConsoleServer another = ConsoleServer.start(dibs, 0, "ann@here", true, "")) {
            assertThat(URI.create(another.address()).getPath()).isNotEqualTo(path);
        }
    }

    @Test
    void aLinkIsGoodForTheConsoleThatPrintedItAlone() throws Exception {
        try (ConsoleServer readOnly = ConsoleServer.start(dibs, 0, "ann@here", false, "")) {
            String link = readOnly.link();
            assertThat(signIn(server, link).statusCode()).isEqualTo(403);
            assertThat(get(server.address() + "login" + link.substring(link.indexOf('?')))
                            .statusCode())
                    .isEqualTo(403);
            assertThat(signIn(readOnly, link).statusCode())
                    .as("it was not used up")
                    .isEqualTo(303);
        }
    }

    /** On a busy machine an answer may take longer, and proves nothing: the server has given up the slow senders by then. */
    @Test
    void aSlowSenderKeepsNobodyWaiting() {
        await().ignoreExceptionsInstanceOf(HttpTimeoutException.class).untilAsserted(this::visitAmongSlowSenders);
    }

    private void visitAmongSlowSenders() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                slow.add(send("POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n%s\r\n"
                        .formatted(
                                i % 2 == 0 ? "/" : "/login", "Content-Type: application/x-www-form-urlencoded\r\n")));
            }
            assertThat(get(Duration.ofSeconds(4), server.address()).statusCode())
                    .isEqualTo(403);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void malformedRequestsGetNoStackTraceAndNoVersion() throws Exception {
        try (Socket socket = send("GET /a|b HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")) {
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer)
                    .startsWith("HTTP/1.1 400")
                    .doesNotContainIgnoringCase("tomcat")
                    .doesNotContain("Exception", "\tat ", "org.apache");
        }
    }

    @Test
    void aSessionIsInNoAddress() throws Exception {
        String cookie =
                signIn(server, server.link()).headers().firstValue("Set-Cookie").orElseThrow();
        String session = cookie.substring(0, cookie.indexOf(';'));
        assertThat(get(server.address() + "locks", "Cookie", session).statusCode())
                .isEqualTo(200);
        assertThat(get(server.address() + "locks;" + session).statusCode()).isEqualTo(403);
    }

    @Test
    void thePageOfALinkHasTheStyleOfTheConsole() throws Exception {
        HttpResponse<String> page = get(server.link());
        assertThat(page.body()).contains("<style>", "prefers-color-scheme: dark", "Sign in");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                .containsPattern("style-src 'sha256-[A-Za-z0-9+/]{43}='")
                .doesNotContain("unsafe-inline");
    }
}
