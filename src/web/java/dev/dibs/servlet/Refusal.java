package dev.dibs.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The answer to a refused request. It does not name the holder to a stranger. */
record Refusal(int status, @Nullable Duration retryAfter, String message) {

    static Refusal withoutKey(LockFilterSettings settings) {
        return new Refusal(HttpServletResponse.SC_BAD_REQUEST, null, "The request has no " + settings.keyName());
    }

    static Refusal busy(LockFilterSettings settings) {
        return new Refusal(settings.busyStatus(), settings.retryAfter(), "Another such request is being served");
    }

    static Refusal unavailable(LockFilterSettings settings) {
        return new Refusal(
                HttpServletResponse.SC_SERVICE_UNAVAILABLE,
                settings.retryAfter(),
                "This is not available at the moment");
    }

    void send(HttpServletResponse response) throws IOException {
        response.setHeader("Cache-Control", "no-store");
        if (retryAfter != null) {
            response.setHeader("Retry-After", Long.toString(retryAfter.toSeconds()));
        }
        response.sendError(status, message);
    }
}
