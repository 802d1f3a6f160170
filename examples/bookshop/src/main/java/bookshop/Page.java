package bookshop;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.owasp.encoder.Encode;

/** The frame of all pages. Callers must escape the body. */
final class Page {

    private Page() {}

    static void send(HttpServletResponse response, int status, String title, String body) throws IOException {
        response.setStatus(status);
        response.setContentType("text/html");
        response.setCharacterEncoding("UTF-8");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'");
        response.getWriter()
                .println("<!DOCTYPE html><html lang=\"en\"><title>" + Encode.forHtml(title) + "</title><h1>"
                        + Encode.forHtml(title) + "</h1>" + body);
    }
}
