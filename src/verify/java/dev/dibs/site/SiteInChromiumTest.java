package dev.dibs.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.dibs.browser.Chromium;
import dev.dibs.database.FullRun;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/** The site in a real browser. */
@FullRun
@Tag("browser")
class SiteInChromiumTest {

    private static final int DESK = 1280;
    private static final int PHONE = 390;

    /** Of each kind one: prose, diagrams, wide tables, pictures. */
    private static final List<String> PAGES = List.of(
            "index.html",
            "docs/index.html",
            "docs/reference/locks.html",
            "docs/reference/runs.html",
            "docs/reference/console.html",
            "docs/lab/protocol.html");

    private static Path site;
    private static Chromium browser;
    private static HttpServer server;

    @BeforeAll
    static void open() throws Exception {
        site = BuiltSite.folder();
        browser = new Chromium();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            Path file = site.resolve(exchange.getRequestURI().getPath().substring(1));
            boolean exists = Files.isRegularFile(file);
            exchange.sendResponseHeaders(exists ? 200 : 404, exists ? Files.size(file) : -1);
            try (exchange) {
                if (exists) {
                    Files.copy(file, exchange.getResponseBody());
                }
            }
        });
        server.start();
    }

    @AfterAll
    static void close() {
        if (server != null) {
            server.stop(0);
        }
        if (browser != null) {
            browser.close();
        }
    }

    private static String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    /** As a new visitor: the site remembers which colours one has chosen. */
    private static void visit(String page, String scheme, int width) {
        browser.scheme(scheme);
        browser.width(width);
        browser.driver().get(page);
        browser.driver().executeScript("localStorage.clear()");
        browser.driver().navigate().refresh();
    }

    private static Object ask(String script) {
        return browser.driver().executeScript("return " + script);
    }

    @Test
    void nobodyMeetsABarrier() {
        for (String page : PAGES) {
            // Colours do not depend on the width.
            withoutBarriers(page, "light", PHONE);
            withoutBarriers(page, "dark", DESK);
        }
    }

    private static void withoutBarriers(String page, String scheme, int width) {
        visit(address() + page, scheme, width);
        String which = page + ", " + scheme + ", " + width;
        assertThat(browser.barriers()).as(which).isEmpty();
        assertThat((long) ask("document.documentElement.scrollWidth")).as(which).isLessThanOrEqualTo(width);
    }

    @Test
    void theSearchFindsAPageAndNothingComesFromOutside() {
        visit(address() + "index.html", "light", DESK);
        WebElement input = browser.driver().findElement(By.cssSelector(".md-search__input"));
        input.click();
        input.sendKeys("guard");
        await().atMost(1, TimeUnit.MINUTES)
                .untilAsserted(() -> assertThat(
                                browser.driver().findElements(By.cssSelector(".md-search-result__link")).stream()
                                        .map(link -> link.getDomAttribute("href")))
                        .anyMatch(link -> link.contains("docs/reference/safety.html")));
        assertThat((List<?>) ask("performance.getEntriesByType('resource').map(entry => entry.name)"))
                .isNotEmpty()
                .allMatch(resource -> resource.toString().startsWith(address()));
    }

    @Test
    void pagesWorkFromTheFileSystem() {
        visit(site.resolve("docs/reference/runs.html").toUri().toString(), "light", DESK);
        assertThat(ask("document.body.dataset.mdColorScheme")).isEqualTo("default");
        assertThat((long) ask("document.querySelector('img[src$=\"run.svg\"]').naturalWidth"))
                .isPositive();
        browser.driver()
                .findElement(By.cssSelector("label[for=__palette_2]:not([hidden])"))
                .click();
        await().untilAsserted(() ->
                assertThat(ask("document.body.dataset.mdColorScheme")).isEqualTo("slate"));
        browser.driver()
                .findElement(By.cssSelector("article a[href^='claims.html']"))
                .click();
        await().untilAsserted(() -> assertThat(browser.driver().getTitle()).startsWith("Claims"));
    }
}
