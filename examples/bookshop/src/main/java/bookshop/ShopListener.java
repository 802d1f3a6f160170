package bookshop;

import dev.dibs.claims.RowClaims;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/** Opens the shop, with its threads, and closes it before Dibs is closed. */
public final class ShopListener implements ServletContextListener {

    private static final System.Logger LOG = System.getLogger("bookshop");
    private static final int MAIL_MILLIS = 200;
    private static final int CLEAN_UP_MILLIS = 60_000;
    private static final int LINKS_IN_QUEUE = 100;
    private static final long END_SECONDS = 20;

    /** Two consumers of mails, the clean-up, and the list of best-sellers. */
    private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(4);

    /** With a bounded queue, so that nobody can make the shop send thousands of mails. */
    private final ExecutorService background = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(LINKS_IN_QUEUE),
            new ThreadPoolExecutor.DiscardPolicy());

    @Override
    public void contextInitialized(ServletContextEvent event) {
        ServletContext context = event.getServletContext();
        if (context.getAttribute(Slow.ATTRIBUTE) == null) {
            context.setAttribute(
                    Slow.ATTRIBUTE, Slow.seconds(Integer.parseInt(context.getInitParameter("bookshop.slowSeconds"))));
        }
        Shop shop = Shop.open(context, dataSource(), background, clock);
        shop.dibs().lock("bookshop-tables").run(Duration.ofMinutes(1), lease -> Tables.make(context, shop));
        RowClaims<Mail> mails = Mail.claims(shop.dibs());
        for (String consumer : List.of("consumer 1", "consumer 2")) {
            every(MAIL_MILLIS, new MailConsumer(consumer, shop, mails));
        }
        every(CLEAN_UP_MILLIS, new CleanUp(shop)::nightly);
        LOG.log(Level.INFO, """
                The bookshop is open: {0}/
                  Open its best-sellers in two tabs, sync one customer twice, order, ask for a new password.
                  {0}/console/ shows who holds what; sign in as admin, with the password admin.""", site());
    }

    /** From the settings: a request can have any Host header. */
    static String site() {
        return System.getProperty("bookshop.site", "http://127.0.0.1:8080");
    }

    /** Names the thread. */
    @SuppressWarnings("BanJNDI")
    private static DataSource dataSource() {
        try {
            return InitialContext.doLookup("java:comp/env/jdbc/dibs");
        } catch (NamingException e) {
            throw new IllegalStateException("the container has no data source jdbc/dibs", e);
        }
    }

    /** A failed task is tried again the next time. */
    private void every(int millis, Work work) {
        var scheduled = clock.scheduleWithFixedDelay(
                () -> {
                    try {
                        work.run();
                    } catch (Exception e) {
                        LOG.log(Level.WARNING, "It is tried again", e);
                    }
                },
                0,
                millis,
                TimeUnit.MILLISECONDS);
        LOG.log(Level.DEBUG, "Every {0} ms: {1}", millis, scheduled);
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {
        for (ExecutorService threads : List.of(clock, background)) {
            threads.shutdown();
            try {
                if (!threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
                    LOG.log(Level.WARNING, "Something takes long, and is interrupted: {0}", threads.shutdownNow());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** A task that is repeated. */
    @FunctionalInterface
    interface Work {

        void run() throws Exception;
    }
}
