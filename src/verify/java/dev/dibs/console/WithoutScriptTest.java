package dev.dibs.console;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.FullRun;
import dev.dibs.runs.RunState;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.htmlunit.WebClient;
import org.htmlunit.html.HtmlForm;
import org.htmlunit.html.HtmlPage;
import org.htmlunit.html.HtmlTable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A visitor clicks, in a browser that runs no script. */
@Tag("unit")
@FullRun
class WithoutScriptTest {

    @Test
    void fromTheOverviewToTheButtons(@TempDir Path directory) throws Exception {
        try (Stage stage = new Stage();
                ConsoleServer server = new ConsoleServer(directory, "/app", "/console/*", console(stage.dibs()), true);
                WebClient client = new WebClient()) {
            client.getOptions().setJavaScriptEnabled(false);
            client.addRequestHeader(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString("admin:admin".getBytes(StandardCharsets.UTF_8)));
            stage.jobs(10);
            stage.work("mails", List.of(7L), "the address is wrong");
            Lease lease = stage.dibs().lock("a lock").acquire(ofSeconds(5));

            // Without the slash: the links are still right.
            HtmlPage overview = client.getPage(server.url() + "/app/console");
            assertThat(overview.getTitleText())
                    .startsWith("Overview – staging – h2:mem:")
                    .endsWith(" – Dibs");
            HtmlPage run = overview.getAnchorByText("mails").click();
            assertThat(run.asNormalizedText()).contains("1 dead", "the address is wrong");
            HtmlForm pause = run.getForms().stream()
                    .filter(form -> form.getActionAttribute().startsWith("resume")
                            || form.getActionAttribute().startsWith("retry"))
                    .findFirst()
                    .orElseThrow();
            HtmlPage after = pause.getElementsByTagName("button").get(0).click();
            assertThat(after.asNormalizedText()).contains("1 row will be tried again");
            HtmlPage paused = pressed(after, "pause", "the mail server is down");
            assertThat(paused.asNormalizedText())
                    .contains("'mails' is paused", "the mail server is down (admin on the console)");
            assertThat(stage.dibs().run("mails").status().orElseThrow().state()).isEqualTo(RunState.PAUSED);

            HtmlPage locks = paused.getAnchorByText("Locks").click();
            HtmlTable table = locks.getFirstByXPath("//table");
            assertThat(table.getCaptionText()).startsWith("Leases that are held");
            HtmlPage confirm = locks.getAnchors().stream()
                    .filter(link -> link.getHrefAttribute().startsWith("break?"))
                    .findFirst()
                    .orElseThrow()
                    .click();
            assertThat(confirm.asNormalizedText()).contains("Break the lock a lock?", "node 7 has it since");
            HtmlPage broken = confirm.getForms()
                    .get(0)
                    .getElementsByTagName("button")
                    .get(0)
                    .click();
            assertThat(broken.asNormalizedText()).contains("Broken: 'a lock' (lock) was held by node 7");
            assertThat(lease.isValid()).isFalse();
        }
    }

    /** Its visitors wait until the page is up to date. */
    private static DibsConsole console(Dibs dibs) {
        return new DibsConsole(HttpServletRequest::isUserInRole, dibs, System::nanoTime, Duration.ofMinutes(1));
    }

    private static HtmlPage pressed(HtmlPage page, String button, String reason) throws Exception {
        HtmlForm form = page.getForms().stream()
                .filter(one -> one.getActionAttribute().startsWith(button))
                .findFirst()
                .orElseThrow();
        form.getInputByName("reason").setValue(reason);
        return form.getElementsByTagName("button").get(0).click();
    }
}
