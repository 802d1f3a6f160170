package bookshop;

import dev.dibs.Lease;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Acquires the catalogue's read lock once for each request. During a clean-up the request waits for a short time. */
public final class ReadingFilter extends HttpFilter {

    private static final long serialVersionUID = 1;
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Optional<Lease> acquired =
                Shop.of(request.getServletContext()).catalogue().read().tryAcquire(PATIENCE);
        if (acquired.isEmpty()) {
            response.setHeader("Retry-After", "5");
            Page.send(response, 503, "One moment", "<p>We are tidying up. Please come again.</p>");
            return;
        }
        try (Lease reading = acquired.get()) {
            chain.doFilter(request, response);
        }
    }
}
