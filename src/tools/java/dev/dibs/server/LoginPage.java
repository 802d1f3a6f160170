package dev.dibs.server;

import dev.dibs.text.Html;
import io.jstach.jstache.JStache;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The page for a visitor that is not signed in.
 *
 * @param token of the link that the button uses up; empty without a button
 */
@JStache(path = "login")
record LoginPage(String title, String text, Optional<String> token) {

    static LoginPage of(String title, String text) {
        return new LoginPage(title, text, Optional.empty());
    }

    static LoginPage notSignedIn() {
        return of(
                "Not signed in",
                "Open the link that was printed when the console was started. It is good once; press Enter in that terminal for"
                        + " another one.");
    }

    /** Inside the page: without a sign-in, no file of the console is served. */
    String style() {
        return Style.TEXT;
    }

    void send(HttpServletResponse response, int status) throws IOException {
        String page = Html.of(out -> LoginPageRenderer.render(this, out, Html::text, Html::escape));
        byte[] body = page.getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader(
                "Content-Security-Policy",
                "default-src 'none'; style-src '" + Style.HASH
                        + "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'");
        response.setContentType("text/html;charset=UTF-8");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
