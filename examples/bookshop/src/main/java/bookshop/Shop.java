package bookshop;

import dev.dibs.Dibs;
import dev.dibs.ReadWriteLock;
import dev.dibs.servlet.DibsContextListener;
import dev.dibs.token.OneTimeTokens;
import jakarta.servlet.ServletContext;
import java.util.concurrent.ExecutorService;
import javax.sql.DataSource;

/**
 * What the servlets share.
 *
 * @param dataSource the one that Dibs has, too: only so can both be in one transaction
 * @param background for what a visitor shall not wait for
 */
record Shop(DataSource dataSource, Dibs dibs, Slow slow, ExecutorService background) {

    private static final String ATTRIBUTE = "bookshop.Shop";

    static Shop of(ServletContext context) {
        return (Shop) context.getAttribute(ATTRIBUTE);
    }

    static Shop open(ServletContext context, DataSource dataSource, ExecutorService background) {
        Shop shop = new Shop(dataSource, DibsContextListener.of(context), Slow.of(context), background);
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
