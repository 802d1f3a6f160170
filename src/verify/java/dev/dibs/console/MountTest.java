package dev.dibs.console;

import dev.dibs.junit.Closing;
import jakarta.servlet.http.HttpServletRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console anywhere in a container, and its messages about missing parts. */
@Tag("unit")
class MountTest extends Closing {

    private final Stage stage = closing(new Stage());

    @Test
    void whereverItIsMountedItsPagesAreBesideEachOther(@TempDir Path directory) throws Exception {
        for (String[] mounted : new String[][] {
            {"", "/console/*", "/console/"},
            {"/shop", "/a/b/*", "/shop/a/b/"},
            {"", "/*", "/"},
            {"/shop", "/", "/shop/"},
        }) {
            DibsConsole console = new DibsConsole(stage.dibs(), (request, role) -> true);
            try (ConsoleServer server = new ConsoleServer(directory, mounted[0], mounted[1], console, false)) {
                Browser browser = new Browser(server.url() + mounted[2], "");
                assertThat(browser.page("")).contains("<h1 data-key=\"h1\"><bdi>Overview");
                assertThat(browser.page("locks")).contains("<bdi>Locks</bdi></h1>");
                assertThat(browser.get("locks/").statusCode()).isEqualTo(404);
                assertThat(browser.get("nowhere").statusCode()).isEqualTo(404);
            }
        }
    }

    @Test
    void withoutASlashItLeadsToTheFirstPage(@TempDir Path directory) throws Exception {
        DibsConsole console = new DibsConsole(stage.dibs(), (request, role) -> true);
        ConsoleServer server = closing(new ConsoleServer(directory, "/shop", "/console/*", console, false));
        HttpResponse<String> answer = new Browser(server.url() + "/shop/", "").get("console");
        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(answer.headers().firstValue("Location")).contains("./console/");
    }

    @Test
    void theDibsOfTheServletContextIsUsed(@TempDir Path directory) throws Exception {
        ConsoleServer server =
                closing(new ConsoleServer(directory, "", "/*", new DibsConsole((request, role) -> true), false));
        Browser browser = new Browser(server.url() + "/", "");
        HttpResponse<String> none = browser.get("locks");
        assertThat(none.statusCode()).isEqualTo(503);
        assertThat(none.body()).contains("There is no Dibs", "dev.dibs.Dibs", "DibsContextListener");
        server.attribute("dev.dibs.Dibs", stage.dibs());
        assertThat(browser.get("locks").statusCode()).isEqualTo(200);
        Stage other = closing(new Stage());
        assertThat(other.dibs().lock("of another").tryAcquire()).isPresent();
        server.attribute("dev.dibs.Dibs", other.dibs());
        assertThat(browser.page("locks")).contains("of another");
    }

    @Test
    void withoutAuthenticationTheConsoleIsClosed(@TempDir Path directory) throws Exception {
        ConsoleServer server = closing(new ConsoleServer(directory, "", "/*", new DibsConsole(stage.dibs()), false));
        Browser browser = new Browser(server.url() + "/", "");
        HttpResponse<String> refused = browser.get("");
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("Nobody is logged in", "&lt;role-name&gt;dibs-viewer");
        assertThat(refused.headers().firstValue("Set-Cookie")).isEmpty();
        assertThat(browser.post("pause?name=x", Map.of()).statusCode()).isEqualTo(403);
    }

    @Test
    void theApplicationMayGrantAccess(@TempDir Path directory) throws Exception {
        ConsoleAccess access = (HttpServletRequest request, String role) ->
                role.equals(ConsoleAccess.VIEWER) && "yes".equals(request.getHeader("X-May"));
        ConsoleServer server =
                closing(new ConsoleServer(directory, "", "/*", new DibsConsole(stage.dibs(), access), false));
        Browser browser = new Browser(server.url() + "/", "");
        assertThat(browser.get("").statusCode()).isEqualTo(403);
        HttpResponse<String> seen = browser.get("", "X-May", "yes");
        assertThat(seen.statusCode()).isEqualTo(200);
        assertThat(seen.headers().firstValue("Set-Cookie"))
                .as("no session for who only looks")
                .isEmpty();
    }

    @Test
    void aMissingDatabaseIsReported(@TempDir Path directory) throws Exception {
        DibsConsole console = new DibsConsole(stage.dibs(), (request, role) -> true);
        ConsoleServer server = closing(new ConsoleServer(directory, "", "/*", console, false));
        stage.dibs().close();
        Browser browser = new Browser(server.url() + "/", "");
        HttpResponse<String> gone = browser.get("locks");
        assertThat(gone.statusCode()).isEqualTo(503);
        assertThat(gone.body()).contains("The database is not available");
        assertThat(browser.get("?format=json").body()).contains("\"error\"");
    }
}
