package dev.dibs.server;

import static org.awaitility.Awaitility.await;

import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import java.io.IOException;
import java.net.ConnectException;
import java.net.CookieManager;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who may use the console, how often a link works, and what other users of the same machine can do to its server. */
@Tag("unit")
class ConsoleServerTest extends ServedConsole {
    private static final String LOCK = "a lock for the console server";

    private Lease lease;
    private final HttpClient client = HttpClient.newHttpClient();

    @BeforeEach
    void acquire() {
        lease = dibs.lock(LOCK).tryAcquire().orElseThrow();
    }

    @AfterEach
    void release() {
        lease.close();
    }

    private static HttpClient browser() {
        return HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    }

    private static HttpResponse<String> get(HttpClient browser, String uri) throws Exception {
        return browser.send(HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> post(HttpClient browser, String uri, String form) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(uri))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build();
        return browser.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> signIn(HttpClient browser, String link) throws Exception {
        String page = get(browser, link).body();
        Matcher token = Pattern.compile("name=\"token\" value=\"([^\"]+)\"").matcher(page);
        String value = token.find() ? token.group(1) : "none";
        return post(browser, server.address() + "login", "token=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
    }

    @Test
    void aLinkAdmitsTheFirstVisitorOnly() throws Exception {
        HttpClient first = browser();
        String link = server.link();
        assertThat(get(first, server.address() + "locks").statusCode()).isEqualTo(403);
        assertThat(get(first, link).statusCode()).isEqualTo(200);
        HttpResponse<String> in = signIn(first, link);
        assertThat(in.statusCode()).isEqualTo(303);
        assertThat(in.headers().firstValue("Set-Cookie"))
                .hasValueSatisfying(cookie -> assertThat(cookie).contains("HttpOnly", "SameSite=Strict"));
        HttpResponse<String> locks = get(first, server.address() + "locks");
        assertThat(locks.statusCode()).isEqualTo(200);
        assertThat(locks.body()).contains(LOCK, "ann@here");
        HttpClient second = browser();
        assertThat(signIn(second, link).statusCode()).isEqualTo(403);
        assertThat(get(second, server.address() + "locks").body()).doesNotContain(LOCK);
        assertThat(signIn(second, server.link()).statusCode()).isEqualTo(303);
    }

    @Test
    void signingOutEndsTheSession() throws Exception {
        HttpClient browser = browser();
        String link = server.link();
        assertThat(signIn(browser, link).statusCode()).isEqualTo(303);
        assertThat(get(browser, server.address() + "locks").body())
                .contains("<form class=\"sign-out\" method=\"post\" action=\"logout\"><button>Sign out</button>");
        assertThat(get(browser, server.address() + "logout").statusCode())
                .as("a link is no button")
                .isEqualTo(405);
        HttpResponse<String> out = post(browser, server.address() + "logout", "");
        assertThat(out.statusCode()).isEqualTo(200);
        assertThat(out.body()).contains("Signed out", "Press Enter in the terminal");
        assertThat(get(browser, server.address() + "locks").statusCode()).isEqualTo(403);
        assertThat(signIn(browser, link).statusCode()).as("the link is used up").isEqualTo(403);
        assertThat(post(browser, server.address() + "logout", "").body()).contains("Not signed in");
    }

    @Test
    void anInventedLinkIsRefused() throws Exception {
        HttpClient browser = browser();
        for (String token : List.of("", "?token=", "?token=x", "?token=%00", "?token=" + "a".repeat(4_000))) {
            assertThat(get(browser, server.address() + "login" + token).statusCode())
                    .as(token)
                    .isBetween(400, 499);
        }
        assertThat(post(browser, server.address() + "login", "token=x").statusCode())
                .isEqualTo(403);
        assertThat(get(browser, server.address() + "locks").body()).doesNotContain(LOCK);
    }

    /** A foreign name for this machine, as a page could use it to read local data. */
    @Test
    void anotherNameOfThisMachineGetsNothing() throws Exception {
        HttpClient browser = browser();
        assertThat(signIn(browser, server.link()).statusCode()).isEqualTo(303);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.getOutputStream()
                    .write("GET /login HTTP/1.1\r\nHost: evil.example:%d\r\nConnection: close\r\n\r\n"
                            .formatted(port())
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).startsWith("HTTP/1.1 403").contains("127.0.0.1 alone");
        }
    }

    @Test
    void viewersHaveNoButtons() throws Exception {
        try (ConsoleServer readOnly = ConsoleServer.start(dibs, 0, "ann@here", false, "")) {
            HttpClient browser = browser();
            String link = readOnly.link();
            Matcher token = Pattern.compile("token=(.+)").matcher(link);
            assertThat(token.find()).isTrue();
            assertThat(post(browser, readOnly.address() + "login", "token=" + token.group(1))
                            .statusCode())
                    .isEqualTo(303);
            assertThat(get(browser, readOnly.address() + "locks").body())
                    .contains(LOCK)
                    .doesNotContain("break?");
            assertThat(post(browser, readOnly.address() + "break?kind=lock&name=x", "csrf=")
                            .statusCode())
                    .isEqualTo(403);
        }
        assertThat(lease.isValid()).isTrue();
    }

    /** Its user may not even write. */
    @Test
    void aConsoleOfAReadOnlyDatabaseAdmitsVisitors() throws Exception {
        String url = "jdbc:h2:mem:" + UUID.randomUUID();
        JdbcConnectionPool owner = JdbcConnectionPool.create(url + ";DB_CLOSE_DELAY=-1", "sa", "");
        try (Dibs writes = Dibs.on(owner)) {
            writes.admin().createSchema(Capability.LOCKS);
        }
        try (Connection connection = owner.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE USER reader PASSWORD 'reader'");
            statement.execute("GRANT SELECT ON SCHEMA public TO reader");
        }
        JdbcConnectionPool reader = JdbcConnectionPool.create(url, "reader", "reader");
        try (Dibs reads = Dibs.on(reader);
                ConsoleServer readOnly = ConsoleServer.start(reads, 0, "ann@here", false, "")) {
            HttpClient browser = browser();
            String link = readOnly.link();
            String token = link.substring(link.indexOf('?') + 1);
            assertThat(post(browser, server.address() + "login", token).statusCode())
                    .as("another console")
                    .isEqualTo(403);
            assertThat(post(browser, readOnly.address() + "login", token).statusCode())
                    .isEqualTo(303);
            assertThat(get(browser, readOnly.address() + "locks").statusCode()).isEqualTo(200);
        } finally {
            reader.dispose();
            owner.dispose();
        }
    }

    @Test
    void closeEndsTheServerAndDeletesItsFolder() throws Exception {
        List<Path> before = folders();
        ConsoleServer another = ConsoleServer.start(dibs, 0, "ann@here", true, "");
        String address = another.address();
        another.close();
        another.close();
        assertThatThrownBy(() -> get(browser(), address)).isInstanceOf(ConnectException.class);
        // Folders that other tests have created meanwhile are deleted, too.
        Awaitility.await().untilAsserted(() -> assertThat(folders()).isSubsetOf(before));
    }

    /** Those of this process. */
    private static List<Path> folders() throws IOException {
        String own = "dibs-console-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith(own))
                    .toList();
        }
    }

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
