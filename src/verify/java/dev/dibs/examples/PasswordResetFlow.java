package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.database.TestDatabase;
import dev.dibs.tokens.OneTimeTokens;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The password reset of docs/tokens.md, over HTTP. */
@Tag("flow")
@Timeout(120)
abstract class PasswordResetFlow {

    /** The table does not take its hash. */
    private static final String REFUSED = "refused by the table";

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private final BlockingQueue<String> links = new LinkedBlockingQueue<>();
    private final ExecutorService background = Executors.newSingleThreadExecutor();
    private final HttpClient browser =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private HikariDataSource pool;
    private Dibs dibs;
    private OneTimeTokens resets;
    private WebServer web;

    @BeforeEach
    void start(TestDatabase database) throws Exception {
        pool = database.pool(config -> config.setMaximumPoolSize(10));
        execute(
                "CREATE TABLE account (id varchar(40) PRIMARY KEY, mail varchar(200) UNIQUE, password_hash varchar(250),"
                        + " CHECK (password_hash <> 'hash of " + REFUSED + "'))");
        execute("INSERT INTO account VALUES ('7', 'ann@example.org', 'old'), ('8', 'bob@example.org', 'old')");
        dibs = Dibs.on(pool);
        dibs.admin().createSchema();
        resets = dibs.tokens("password-reset-" + System.nanoTime());
        web = new WebServer(
                directory,
                Map.of(
                        "/forgotten",
                        new ForgottenServlet(
                                pool, resets, (mail, link) -> links.add(link), background, "https://example.org"),
                        "/reset",
                        new ResetServlet(pool, resets, password -> "hash of " + password)));
    }

    @AfterEach
    void stop() throws Exception {
        background.shutdown();
        web.close();
        dibs.close();
        execute("DROP TABLE account");
        pool.close();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String passwordOf(String id) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT password_hash FROM account WHERE id = '" + id + "'")) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return browser.send(
                HttpRequest.newBuilder(URI.create(web.url() + path))
                        .timeout(PATIENCE)
                        .build(),
                BodyHandlers.ofString());
    }

    private HttpRequest form(String path, String... namesAndValues) {
        List<String> fields = new ArrayList<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.add(namesAndValues[i] + "=" + URLEncoder.encode(namesAndValues[i + 1], StandardCharsets.UTF_8));
        }
        return HttpRequest.newBuilder(URI.create(web.url() + path))
                .timeout(PATIENCE)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(String.join("&", fields)))
                .build();
    }

    private HttpResponse<String> post(String path, String... namesAndValues) throws IOException, InterruptedException {
        return browser.send(form(path, namesAndValues), BodyHandlers.ofString());
    }

    /** The token of the link in the mail. */
    private String requestLink(String mail) throws Exception {
        assertThat(post("/forgotten", "mail", mail).statusCode()).isEqualTo(200);
        String link = links.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(link).matches("https://example\\.org/reset\\?token=[A-Za-z0-9_-]{43}");
        return link.substring(link.indexOf('=') + 1);
    }

    @Test
    void whoHasTheLinkChangesThePasswordOnce() throws Exception {
        assertThat(get("/forgotten").body()).contains("<form method=\"post\">");
        String token = requestLink("ann@example.org");
        String other = requestLink("ann@example.org");
        String bobs = requestLink("bob@example.org");
        for (int scan = 0; scan < 3; scan++) {
            HttpResponse<String> seen = get("/reset?token=" + token);
            assertThat(seen.statusCode()).as("a GET burns nothing").isEqualTo(200);
            assertThat(seen.body()).contains("name=\"token\" value=\"" + token + "\"");
        }
        assertThat(post("/reset", "token", token, "password", "short").body())
                .contains("It must have 12 to 200 characters", token);
        assertThat(post("/reset", "token", token, "password", "pässwörter &amp;")
                        .body())
                .contains("Your password is changed");
        assertThat(passwordOf("7")).isEqualTo("hash of pässwörter &amp;");
        assertThat(passwordOf("8")).isEqualTo("old");

        HttpResponse<String> second = post("/reset", "token", token, "password", "another password");
        assertThat(second.statusCode()).isEqualTo(410);
        assertThat(second.body()).contains("no longer good").doesNotContain(token);
        assertThat(get("/reset?token=" + token).statusCode()).isEqualTo(410);
        assertThat(get("/reset?token=" + other).statusCode()).as("revoked").isEqualTo(410);
        assertThat(get("/reset?token=" + bobs).statusCode()).as("bob's").isEqualTo(200);
        assertThat(passwordOf("7")).isEqualTo("hash of pässwörter &amp;");
    }

    @Test
    void nobodyLearnsWhoHasAnAccount() throws Exception {
        HttpResponse<String> known = post("/forgotten", "mail", "ann@example.org");
        for (String mail : List.of("nobody@example.org", "", "' OR 1=1 --", "x".repeat(10_000))) {
            HttpResponse<String> unknown = post("/forgotten", "mail", mail);
            assertThat(unknown.statusCode()).isEqualTo(known.statusCode());
            assertThat(unknown.body()).isEqualTo(known.body());
        }
        assertThat(post("/forgotten").body()).isEqualTo(known.body());
        background.submit(() -> {}).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(links).hasSize(1);
    }

    @Test
    void whatIsNoTokenIsRefusedAndNotShown() throws Exception {
        for (String token : List.of("", "x".repeat(43), "\"><script>alert(1)</script>", "x".repeat(5_000))) {
            HttpResponse<String> got = get("/reset?token=" + URLEncoder.encode(token, StandardCharsets.UTF_8));
            assertThat(got.statusCode()).isEqualTo(410);
            assertThat(got.body()).doesNotContain("script", "xxxx");
            assertThat(post("/reset", "token", token, "password", "a good password")
                            .statusCode())
                    .isEqualTo(410);
        }
        assertThat(get("/reset").statusCode()).isEqualTo(410);
    }

    @Test
    void ofManyAtOnceOneChangesThePassword() throws Exception {
        String token = requestLink("ann@example.org");
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            HttpRequest request = form("/reset", "token", token, "password", "the password of " + i);
            all.add(browser.sendAsync(request, BodyHandlers.ofString()));
        }
        List<Integer> changedBy = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            int status = all.get(i).get(60, TimeUnit.SECONDS).statusCode();
            assertThat(status).isIn(200, 410);
            if (status == 200) {
                changedBy.add(i);
            }
        }
        assertThat(changedBy).hasSize(1);
        assertThat(passwordOf("7")).isEqualTo("hash of the password of " + changedBy.get(0));
    }

    @Test
    void ifThePasswordIsNotChangedTheTokenIsNotUsedUp() throws Exception {
        String token = requestLink("ann@example.org");
        HttpResponse<String> failed = post("/reset", "token", token, "password", REFUSED);
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(failed.body()).contains("That did not work").doesNotContain(token);
        assertThat(passwordOf("7")).isEqualTo("old");
        assertThat(get("/reset?token=" + token).statusCode()).isEqualTo(200);
        assertThat(post("/reset", "token", token, "password", "a good password").statusCode())
                .isEqualTo(200);
        assertThat(passwordOf("7")).isEqualTo("hash of a good password");
    }

    @Test
    void noPageOrLogTellsTheToken() throws Exception {
        try (HeardLog heard = new HeardLog()) {
            String token = requestLink("ann@example.org");
            HttpResponse<String> shown = get("/reset?token=" + token);
            assertThat(shown.headers().firstValue("Referrer-Policy")).hasValue("no-referrer");
            assertThat(shown.headers().firstValue("Cache-Control")).hasValue("no-store");
            post("/reset", "token", token, "password", REFUSED);
            post("/reset", "token", token, "password", "a good password");
            post("/reset", "token", token, "password", "a good password");
            assertThat(heard.text())
                    .contains("A password was perhaps not changed")
                    .doesNotContain(token);
            // It is written after the answer.
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(web.log())
                            .contains("GET /reset 200", "POST /reset 500", "POST /reset 200", "POST /reset 410"));
            assertThat(web.log()).noneMatch(line -> line.contains(token));
        }
    }
}
