package dev.dibs.examples;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** A page that is in no cache and in no frame, and that tells no other site its address. */
final class Page {

    private Page() {}

    static void send(HttpServletResponse response, int status, String body) throws IOException {
        response.setStatus(status);
        response.setContentType("text/html");
        response.setCharacterEncoding("UTF-8");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'");
        response.getWriter().println("<!DOCTYPE html><title>Your password</title>" + body);
    }
}
