package dev.dibs.examples;

import static dev.dibs.examples.Bookshop.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pages of examples/bookshop, over HTTP. */
@Tag("flow")
@Timeout(300)
class BookshopTest {

    private static final Pattern LINK = Pattern.compile("Mail to account-7: \\S+?(/reset\\?token=([\\w-]{43}))");

    private final Gates gates = new Gates();
    private Bookshop shop;

    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        shop = new Bookshop(directory, gates);
    }

    @AfterEach
    void close() throws Exception {
        gates.openAll();
        shop.close();
    }

    private HttpResponse<String> order(String book, String mail) throws Exception {
        return await(shop.post("/order", "", "book", book, "mail", mail));
    }

    @Test
    void visitorsSeeTheOldListWhileTheNewOneIsMade() throws Exception {
        assertThat(order("1", "ann@example.org").statusCode()).isEqualTo(200);
        String old = "<pre>1 of The Patient Lock\n</pre>";
        assertThat(shop.get("/best-sellers").body()).contains(old);
        assertThat(order("1", "ann@example.org").statusCode()).isEqualTo(200);
        assertThat(shop.get("/best-sellers").body()).as("it is not out of date").contains(old);

        gates.shut("best-sellers");
        assertThat(shop.dibs().once("best-sellers").forget()).isTrue();
        await().atMost(Bookshop.PATIENCE).until(() -> {
            assertThat(shop.get("/best-sellers").body()).contains(old);
            return gates.arrived("best-sellers") == 1;
        });
        assertThat(shop.get("/best-sellers").body()).as("while it is made").contains(old);
        gates.open("best-sellers");
        String made = "<pre>2 of The Patient Lock\n</pre>";
        await().atMost(Bookshop.PATIENCE)
                .until(() -> shop.get("/best-sellers").body().contains(made));
        assertThat(gates.arrived("best-sellers")).as("it was made once").isEqualTo(1);
    }

    @Test
    void aCustomerIsSyncedOnceAtATimeAndAnotherOneMeanwhile() throws Exception {
        gates.shut("sync");
        CompletableFuture<HttpResponse<String>> first = shop.post("/sync/4711", "");
        gates.awaitAt("sync", 1);
        HttpResponse<String> again = await(shop.post("/sync/4711", ""));
        assertThat(again.statusCode()).isEqualTo(409);
        assertThat(again.headers().firstValue("Retry-After")).contains("1");
        CompletableFuture<HttpResponse<String>> other = shop.post("/sync/4712", "");
        gates.awaitAt("sync", 2);
        gates.open("sync");
        assertThat(await(first).statusCode()).isEqualTo(200);
        assertThat(await(other).statusCode()).isEqualTo(200);
        assertThat(shop.find("SELECT syncs FROM customer ORDER BY id")).containsExactly("1", "1");
        assertThat(await(shop.post("/sync/", "")).statusCode()).as("of nobody").isEqualTo(400);
    }

    @Test
    void twoConsumersSendEachMailOnce() throws Exception {
        gates.shut("mail");
        for (int i = 0; i < 10; i++) {
            assertThat(order("2", "reader" + i + "@example.org").statusCode()).isEqualTo(200);
        }
        gates.awaitAt("mail", 2);
        gates.open("mail");
        await().atMost(Bookshop.PATIENCE)
                .until(() -> shop.find("SELECT id FROM order_mail WHERE sent_at IS NULL")
                        .isEmpty());
        assertThat(shop.find("SELECT recipient FROM outbox ORDER BY recipient"))
                .containsExactlyElementsOf(
                        shop.find("SELECT 'reader' || x || '@example.org' FROM system_range(0, 9) ORDER BY 1"));
        assertThat(shop.find("SELECT DISTINCT sender FROM outbox"))
                .containsExactlyInAnyOrder("consumer 1", "consumer 2");
        assertThat(shop.get("/mails").body())
                .contains(" to reader9@example.org: You have ordered Mine for Thirty Seconds (sent by consumer ");
    }

    @Test
    void aLinkChangesThePasswordOnce() throws Exception {
        List<String> links = new ArrayList<>();
        try (HeardLog log = new HeardLog()) {
            assertThat(await(shop.post("/forgotten", "", "mail", "nobody@example.org"))
                            .body())
                    .isEqualTo(await(shop.post("/forgotten", "", "mail", "ann@example.org"))
                            .body());
            await().atMost(Bookshop.PATIENCE)
                    .until(() -> LINK.matcher(log.text()).find());
            for (Matcher link = LINK.matcher(log.text()); link.find(); ) {
                links.add(link.group(1));
            }
        }
        assertThat(links).as("one for ann, none for nobody").hasSize(1);
        String link = links.get(0);
        String token = link.substring(link.indexOf('=') + 1);
        for (int look = 0; look < 2; look++) {
            HttpResponse<String> form = shop.get(link);
            assertThat(form.statusCode()).as("a look burns nothing").isEqualTo(200);
            assertThat(form.body()).contains("value=\"" + token + "\"");
        }
        assertThat(reset(token, "short").body()).contains("12 to 200 characters");
        assertThat(hash()).isEqualTo("none yet");
        assertThat(reset(token, "correct horse battery").body()).contains("Your password is changed");
        String changed = hash();
        assertThat(changed).isNotEqualTo("none yet");
        assertThat(reset(token, "another one of mine").statusCode()).isEqualTo(410);
        assertThat(shop.get(link).statusCode()).isEqualTo(410);
        assertThat(hash()).isEqualTo(changed);
    }

    @Test
    void malformedTokensAreRefusedAndNotShown() throws Exception {
        for (String token : List.of("", "x".repeat(43), "\"><script>alert(1)</script>", "x".repeat(5_000))) {
            HttpResponse<String> got = shop.get("/reset?token=" + URLEncoder.encode(token, StandardCharsets.UTF_8));
            assertThat(got.statusCode()).isEqualTo(410);
            assertThat(got.body()).doesNotContain("script", "xxxx");
            assertThat(reset(token, "correct horse battery").statusCode()).isEqualTo(410);
        }
        assertThat(shop.get("/reset").statusCode()).isEqualTo(410);
        String answer =
                await(shop.post("/forgotten", "", "mail", "nobody@example.org")).body();
        for (String mail : List.of("", "' OR 1=1 --", "x".repeat(10_000))) {
            assertThat(await(shop.post("/forgotten", "", "mail", mail)).body()).isEqualTo(answer);
        }
    }

    private HttpResponse<String> reset(String token, String password) throws Exception {
        return await(shop.post("/reset", "", "token", token, "password", password));
    }

    private String hash() throws Exception {
        return shop.find("SELECT password_hash FROM account").get(0);
    }

    /** If the password cannot be changed, the token is not used up. */
    @Test
    void aFailureUnburnsTheLink() throws Exception {
        String token = shop.dibs().tokens("password-reset").issue("account-7", Duration.ofMinutes(5));
        shop.execute("ALTER TABLE account ALTER COLUMN password_hash varchar(8)");
        try (HeardLog log = new HeardLog()) {
            HttpResponse<String> failed = reset(token, "correct horse battery");
            assertThat(failed.statusCode()).isEqualTo(500);
            assertThat(failed.body()).contains("That did not work").doesNotContain(token);
            assertThat(log.text())
                    .contains("A password was perhaps not changed")
                    .doesNotContain(token);
        }
        HttpResponse<String> shown = shop.get("/reset?token=" + token);
        assertThat(shown.statusCode()).isEqualTo(200);
        assertThat(shown.headers().firstValue("Referrer-Policy")).hasValue("no-referrer");
        assertThat(shown.headers().firstValue("Cache-Control")).hasValue("no-store");
        shop.execute("ALTER TABLE account ALTER COLUMN password_hash varchar(250)");
        assertThat(reset(token, "correct horse battery").statusCode()).isEqualTo(200);
    }

    @Test
    void theCleanUpStaysOutWhileSomebodyReadsAndReadersWhileItWrites() throws Exception {
        awaitTheNight();
        shop.execute("INSERT INTO book (id, title, in_print) VALUES (77, 'Out of Print', false)");
        gates.shut("export");
        CompletableFuture<HttpResponse<String>> reader = shop.ask("/books/export");
        gates.awaitAt("export", 1);
        assertThat(await(shop.post("/clean-up", "admin")).statusCode()).isEqualTo(409);
        assertThat(shop.get("/books/").statusCode())
                .as("another reader is let in")
                .isEqualTo(200);
        gates.open("export");
        assertThat(await(reader).body()).contains("<li>Out of Print");

        gates.shut("clean-up");
        CompletableFuture<HttpResponse<String>> writer = shop.post("/clean-up", "admin");
        gates.awaitAt("clean-up", 1);
        HttpResponse<String> refused = shop.get("/books/");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).contains("5");
        assertThat(order("77", "ann@example.org").statusCode()).isEqualTo(503);
        gates.open("clean-up");
        assertThat(await(writer).body()).contains("1 books are gone");
        assertThat(shop.get("/books/").body()).contains("The Patient Lock").doesNotContain("Out of Print");
    }

    /** The nightly one runs when the shop opens for the first time. */
    private void awaitTheNight() {
        await().atMost(Bookshop.PATIENCE)
                .until(() -> shop.dibs().admin().onces().stream()
                        .anyMatch(once -> once.name().equals("clean-up")
                                && once.lastSuccess().isPresent()
                                && once.running().isEmpty()));
    }

    @Test
    void theConsoleNeedsTheRole() throws Exception {
        assertThat(shop.get("/console/").statusCode()).isEqualTo(401);
        assertThat(shop.get("/console/", "clerk").statusCode()).isEqualTo(403);
        assertThat(await(shop.post("/clean-up", "clerk")).statusCode()).isEqualTo(403);
        gates.shut("sync");
        CompletableFuture<HttpResponse<String>> sync = shop.post("/sync/4711", "");
        gates.awaitAt("sync", 1);
        HttpResponse<String> locks = shop.get("/console/locks", "admin");
        assertThat(locks.statusCode()).isEqualTo(200);
        assertThat(locks.body()).contains("sync:4711");
        gates.open("sync");
        assertThat(await(sync).statusCode()).isEqualTo(200);
    }

    @Test
    void titlesAreEscapedAndTheHomePageLinksToAllPages() throws Exception {
        assertThat(shop.get("/books/").body()).doesNotContain("<script>").contains("&lt;script&gt;alert(");
        assertThat(order("3", "<b>@example.org").statusCode()).isEqualTo(200);
        assertThat(shop.get("/best-sellers").body()).doesNotContain("<script>").contains("1 of &lt;script&gt;");
        await().atMost(Bookshop.PATIENCE).until(() -> shop.get("/mails").body().contains("@example.org"));
        assertThat(shop.get("/mails").body()).doesNotContain("<b>", "<script>");
        assertThat(order("4", "ann@example.org").statusCode()).isEqualTo(404);
        assertThat(order("x", "ann@example.org").statusCode()).isEqualTo(400);
        Matcher link =
                Pattern.compile("href=\"([^\"]+)\"").matcher(shop.get("/").body());
        int links = 0;
        for (; link.find(); links++) {
            assertThat(shop.get("/" + link.group(1), "admin").statusCode())
                    .as(link.group(1))
                    .isEqualTo(200);
        }
        assertThat(links).isEqualTo(6);
    }
}
