package bookshop;

import jakarta.servlet.ServletContext;

/** Takes the time that something takes in a real shop: a long query, a mail server, a customer's slow device. */
@FunctionalInterface
public interface Slow {

    /** The attribute of the servlet context that has it. Tests put their own there. */
    String ATTRIBUTE = "bookshop.Slow";

    /** Returns after a while. */
    void take(String what);

    /** The application's. */
    static Slow of(ServletContext context) {
        return what -> ((Slow) context.getAttribute(ATTRIBUTE)).take(what);
    }

    /** Always takes so long. */
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
