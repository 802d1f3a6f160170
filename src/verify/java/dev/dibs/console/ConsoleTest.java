package dev.dibs.console;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.dibs.Lease;
import dev.dibs.text.Html;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The console in a container: who may see which parts, and in which form. */
@Tag("unit")
class ConsoleTest extends InContainer {

    @Test
    void withoutARoleThePageSaysHowToConfigureOne() {
        for (String page : pages()) {
            HttpResponse<String> refused = as("other").get(page);
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body())
                    .contains("You are other", "dibs-viewer", "&lt;security-constraint&gt;")
                    .doesNotContain("mails", "node 7", "password-reset", "<nav aria-label=\"Pages\">\n<ul>\n<li>");
            assertThat(as("viewer").get(page).statusCode()).isEqualTo(200);
            assertThat(as("admin").get(page).statusCode()).isEqualTo(200);
        }
        HttpResponse<String> refused = as("other").get("locks?format=json");
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(JsonParser.parseString(refused.body()).getAsJsonObject().keySet())
                .containsExactly("error");
        assertThat(as("other").get("metrics").statusCode()).isEqualTo(403);
    }

    @Test
    void viewersHaveNoButtonsAndCannotPressOne() {
        Browser viewer = as("viewer");
        try (Lease lease = stage.dibs().lock("watched").acquire(ofSeconds(5))) {
            for (String page : pages()) {
                assertThat(viewer.page(page)).doesNotContain("method=\"post\"", "name=\"csrf\"", "break?kind");
            }
            assertThat(viewer.get("break?kind=lock&name=watched").statusCode()).isEqualTo(403);
            String secret = as("admin").csrf("break?kind=lock&name=watched");
            assertThat(viewer.post("break?kind=lock&name=watched", Map.of("csrf", secret))
                            .statusCode())
                    .isEqualTo(403);
            lease.check();
        }
    }

    @Test
    void everyAnswerHasItsHeaders() {
        for (String page : List.of("", "locks", "nowhere", "locks?format=json", "metrics")) {
            HttpResponse<String> answer = as("viewer").get(page);
            assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .contains("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'")
                    .doesNotContain("unsafe");
            assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
            assertThat(answer.headers().firstValue("Referrer-Policy")).contains("same-origin");
            assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
        }
    }

    @Test
    void styleAndScriptAreKeptForGoodAndNothingIsInline() {
        Browser admin = as("admin");
        for (String page : pages()) {
            assertThat(admin.page(page))
                    .doesNotContain("<style", " style=", " onclick", "javascript:", "http://", "https://")
                    .containsPattern("<script src=\"console-[0-9a-f]{12}\\.js\" defer></script>")
                    .containsOnlyOnce("<script")
                    .containsOnlyOnce("<h1")
                    .containsOnlyOnce("<main");
        }
        String style = admin.page("").replaceAll("(?s).*href=\"(console-\\w+\\.css)\".*", "$1");
        HttpResponse<String> css = admin.get(style);
        assertThat(css.headers().firstValue("Cache-Control").orElseThrow()).contains("immutable");
        assertThat(css.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/css");
        assertThat(admin.get("console-000000000000.css").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<script>alert(1)</script>",
                "\"><img src=x onerror=alert(1)>",
                "a/b%2F../..\\c?d=e&f#g;h",
                "' OR ''='",
                "two\nlines\r\nand a tab\t",
                "\u202egnp.exe",
                "{{frame.csrf}} ${x} &amp;",
                "+ plus % percent ü 日本 😀"
            })
    void aHostileNameIsTextAndCanBeBroken(String name) {
        Browser admin = as("admin");
        try (Lease lease = stage.dibs().lock(name).acquire(ofSeconds(5))) {
            String field = "id=\"q\" name=\"q\" value=\"" + Html.escape(name) + "\"";
            assertThat(admin.page("locks?q=" + Format.query(name)).replace(field, ""))
                    .contains("<bdi>" + Html.escape(Format.text(name)) + "</bdi>", "1 shown")
                    .doesNotContain("<img", "<script>", "\u202e");
            String href = "break?kind=lock&name=" + Format.query(name);
            assertThat(admin.page("locks?q=" + Format.query(name))).contains(Html.escape(href));
            HttpResponse<String> pressed = admin.post(href, Map.of("csrf", admin.csrf(href)));
            assertThat(pressed.statusCode()).isEqualTo(303);
            assertThat(lease.isValid()).isFalse();
            assertThat(admin.page("locks")).contains("Broken: ").doesNotContain("<img", "<script>", "\u202e");
        }
    }

    @Test
    void jsonIsThatOfTheCommand() {
        Browser viewer = as("viewer");
        try (Lease lease = stage.dibs().lock("json").acquire(ofSeconds(5))) {
            HttpResponse<String> answer = viewer.get("locks?format=json&q=json");
            assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
                    .startsWith("application/json");
            JsonArray locks = JsonParser.parseString(answer.body()).getAsJsonArray();
            assertThat(locks.get(0).getAsJsonObject().keySet())
                    .containsExactly("name", "kind", "holder", "fence", "since", "until");
            assertThat(locks.get(0).getAsJsonObject().get("fence").getAsLong()).isEqualTo(lease.fencingToken());
            assertThat(answer.headers().firstValue("Dibs-Total")).contains("1");
            assertThat(viewer.get("locks?format=json&q=json&limit=0").body()).isEqualTo("[]\n");
        }
        String byHeader = viewer.get("runs", "Accept", "application/json").body();
        assertThat(JsonParser.parseString(byHeader).getAsJsonArray().toString())
                .contains("\"name\":\"mails\"", "\"rowsPerSecondLimit\"", "\"workers\"");
        JsonObject run = JsonParser.parseString(viewer.page("run?name=mails&format=json"))
                .getAsJsonObject();
        assertThat(run.get("done").getAsLong()).isEqualTo(38);
        assertThat(viewer.page("run?name=mails&format=json&show=errors"))
                .contains("\"errorClass\"", "password=***")
                .doesNotContain("hunter22");
        assertThat(viewer.page("run?name=mails&format=json&show=dead")).contains("\"attempts\"");
        assertThat(viewer.get("run?name=mails&format=json&show=x").statusCode()).isEqualTo(400);
        assertThat(viewer.page("tokens?format=json")).contains("\"purpose\": \"password-reset\"", "\"live\": 1");
        assertThat(viewer.page("onces?format=json")).startsWith("[");
        assertThat(viewer.page("health?format=json")).contains("\"subject\": \"tables\"");
        assertThat(viewer.page("?format=json")).contains("\"stuck\"", "2 rows are dead");
        HttpResponse<String> missing = viewer.get("run?name=nobody&format=json");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.body()).contains("\"error\"");
        assertThat(viewer.get("", "Accept", "text/html,application/json;q=0.5").body())
                .startsWith("<!DOCTYPE html>");
    }

    @Test
    void metricsAreForPrometheus() {
        try (Lease lease = stage.dibs().lock("measured").acquire(ofSeconds(5))) {
            lease.check();
            HttpResponse<String> answer = as("viewer").get("metrics");
            assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
                    .startsWith("text/plain;");
            assertThat(answer.body())
                    .contains("dibs_leases_held", "dibs_leases_acquired_total", "dibs_held{kind=\"permit\"}")
                    .contains("dibs_run_rows_done{run=\"mails\"} 38.0", "dibs_run_rows_dead{run=\"mails\"} 2.0");
            assertThat(as("viewer").get("metrics").body()).contains("dibs_run_rows_done{run=\"mails\"} 38.0");
        }
    }

    @Test
    void aFragmentIsTheInsideOfThePage() {
        Browser admin = as("admin");
        for (String page : pages()) {
            String whole = admin.page(page);
            String fragment = admin.page(page + (page.contains("?") ? "&" : "?") + "fragment=1");
            assertThat(fragment.strip()).startsWith("<h1");
            assertThat(fragment).doesNotContain("<html", "<main", "<nav").contains("As of");
            assertThat(whole).contains("data-live");
        }
    }

    @Test
    void theOverviewNamesProblemsAndTheirButtons() {
        assertThat(as("viewer").page(""))
                .contains("2 rows are dead", "Retry dead rows", "run?name=mails")
                .contains("<meta http-equiv=\"refresh\"");
        assertThat(as("viewer").page("health"))
                .as("there is nothing to do")
                .contains("OK</span>")
                .doesNotContain("What to do");
        assertThat(as("viewer").page("run?name=mails"))
                .as("would lose what is being typed")
                .doesNotContain("http-equiv=\"refresh\"");
    }

    @Test
    void headAndTitleTellWhichDatabaseAndEnvironmentItIs() {
        for (String page : pages()) {
            assertThat(as("viewer").page(page))
                    .containsPattern("<title>[^<]+ – staging – h2:mem:[-0-9a-f]{36} – Dibs</title>")
                    .containsPattern("<strong><bdi>staging</bdi></strong> <bdi>h2:mem:[-0-9a-f]{36}</bdi>");
            assertThat(as("other").page(page)).doesNotContain("h2:mem", "staging");
        }
    }
}
