package bookshop;

import jakarta.servlet.ServletContext;

/** Takes as long as work in a real shop: a long query, a mail server, a customer's slow device. */
@FunctionalInterface
public interface Slow {

    /** The attribute of the servlet context. Tests put their own object there. */
    String ATTRIBUTE = "bookshop.Slow";

    /** Returns after a while. */
    void take(String what);

    /** Returns the one of the application. */
    static Slow of(ServletContext context) {
        return what -> ((Slow) context.getAttribute(ATTRIBUTE)).take(what);
    }

    /** Returns one that always takes the same time. */
    static Slow seconds(int seconds) {
        return what -> {
            try {
                Thread.sleep(seconds * 1_000L);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted at " + what, e);
            }
        };
    }
}
