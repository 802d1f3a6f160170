package bookshop;

import dev.dibs.Dibs;
import dev.dibs.ReadWriteLock;
import dev.dibs.servlet.DibsContextListener;
import dev.dibs.tokens.OneTimeTokens;
import jakarta.servlet.ServletContext;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import javax.sql.DataSource;

/**
 * The parts that all servlets share.
 *
 * @param dataSource the same that Dibs has, so that both can be in one transaction
 * @param background for work that no visitor waits for
 */
record Shop(DataSource dataSource, Dibs dibs, Slow slow, BestSellers bestSellers, ExecutorService background) {

    private static final String ATTRIBUTE = "bookshop.Shop";

    static Shop of(ServletContext context) {
        return (Shop) context.getAttribute(ATTRIBUTE);
    }

    /** Its threads refresh the cache. They must not drop a task silently, as those of the background may. */
    static Shop open(ServletContext context, DataSource dataSource, ExecutorService background, Executor refreshing) {
        Dibs dibs = DibsContextListener.of(context);
        Slow slow = Slow.of(context);
        BestSellers bestSellers = new BestSellers(
                dibs.once("best-sellers").every(Duration.ofMinutes(1)),
                dataSource,
                () -> BestSellersServlet.query(dataSource, slow),
                Duration.ofSeconds(1),
                refreshing);
        Shop shop = new Shop(dataSource, dibs, slow, bestSellers, background);
        context.setAttribute(ATTRIBUTE, shop);
        return shop;
    }

    /** Requests read the catalogue, the clean-up writes it. */
    ReadWriteLock catalogue() {
        return dibs.readWriteLock("catalogue");
    }

    OneTimeTokens resets() {
        return dibs.tokens("password-reset");
    }
}
