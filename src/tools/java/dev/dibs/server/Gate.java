package dev.dibs.server;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;

/**
 * Admits requests with the secret path that no foreign page has made the browser send. All others are answered at once: their bodies are
 * not read, so that slow senders cannot keep the threads busy.
 */
final class Gate extends ValveBase {

    private static final Set<String> LOCAL = Set.of(ConsoleServer.ADDRESS, "localhost");

    private final String path;

    Gate(String path) {
        super(true);
        this.path = path;
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        if (!LOCAL.contains(request.getServerName())) {
            refuse(
                    request,
                    response,
                    LoginPage.of("Not here", "The console is at " + ConsoleServer.ADDRESS + " alone."));
        } else if (!request.getDecodedRequestURI().startsWith(path)) {
            refuse(request, response, LoginPage.notSignedIn());
        } else {
            getNext().invoke(request, response);
        }
    }

    private static void refuse(Request request, Response response, LoginPage page) throws IOException {
        page.send(response, HttpServletResponse.SC_FORBIDDEN);
        request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
    }
}
