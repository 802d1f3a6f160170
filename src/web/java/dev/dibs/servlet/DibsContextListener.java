package dev.dibs.servlet;

import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import org.jspecify.annotations.Nullable;

/**
 * Gives a web application its {@link Dibs}: made when the application starts, found by {@link #of}, closed when the application
 * ends. Its locks are released then, its threads end, and nothing of it keeps the application's class loader.
 *
 * <p>In a {@code web.xml} it needs no more than its name; the data source is that under {@code java:comp/env/jdbc/dibs}. These
 * context parameters change what is made:
 *
 * <ul>
 *   <li>{@code dibs.dataSource}: another name; one without {@code java:} is looked up below {@code java:comp/env/}
 *   <li>{@code dibs.createSchema}: {@code true} makes the tables that are not there; names of {@linkplain Capability capabilities}, as in {@code locks,once},
 *       those of these; default {@code false}
 *   <li>{@code dibs.schema}, {@code dibs.tablePrefix}, {@code dibs.holder}, {@code dibs.leaseSeconds}: as in {@link DibsBuilder}
 * </ul>
 *
 * <p>If there is no such data source, the database cannot be reached, or tables are missing, the application does not start, and the
 * exception says what to do.
 */
@SuppressWarnings("exports")
public final class DibsContextListener implements ServletContextListener {

    /**
     * The attribute of the {@link ServletContext} that has the {@link Dibs}. An application that makes its own may put it there, for
     * what else is in this package; it closes it itself then.
     */
    public static final String ATTRIBUTE = "dev.dibs.Dibs";

    private final @Nullable DibsBuilder builder;
    private volatile @Nullable Dibs dibs;

    /** For a {@code web.xml}: with the data source and the settings of the context parameters. */
    public DibsContextListener() {
        this.builder = null;
    }

    /** For an application that makes its settings in Java: of the context parameters only {@code dibs.createSchema} counts. */
    public DibsContextListener(DibsBuilder builder) {
        this.builder = builder;
    }

    /**
     * The application's.
     *
     * @throws IllegalStateException if there is none: the listener is not declared, or did not start
     */
    public static Dibs of(ServletContext context) {
        Object found = context.getAttribute(ATTRIBUTE);
        if (found instanceof Dibs dibs) {
            return dibs;
        }
        String problem = found == null
                ? "The application '" + context.getContextPath() + "' has no Dibs"
                : "The attribute " + ATTRIBUTE + " is a " + found.getClass().getName() + " of another class loader";
        throw new IllegalStateException(problem + ". Declare the listener "
                + DibsContextListener.class.getName() + " in its web.xml, add it with ServletContext.addListener"
                + " while the application starts, or put a Dibs of your own into the attribute " + ATTRIBUTE);
    }

    /**
     * Makes it.
     *
     * @throws IllegalStateException if a setting is wrong, or there is no such data source
     * @throws dev.dibs.DibsException if the database cannot be reached, or tables are missing
     */
    @Override
    public void contextInitialized(ServletContextEvent event) {
        ServletContext context = event.getServletContext();
        if (context.getAttribute(ATTRIBUTE) != null) {
            throw new IllegalStateException("The application '" + context.getContextPath()
                    + "' has a Dibs already: declare " + DibsContextListener.class.getName() + " once");
        }
        ContextSettings settings = new ContextSettings(context);
        Capability[] created = settings.createdSchema().toArray(Capability[]::new);
        Dibs made = (builder == null ? settings.builder() : builder).build();
        try {
            prepare(made, created);
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
        dibs = made;
        context.setAttribute(ATTRIBUTE, made);
    }

    private static void prepare(Dibs made, Capability... created) {
        if (created.length > 0) {
            made.admin().createSchema(created);
        }
        ContextSettings.explainSchema(made, created);
    }

    /** Closes it. */
    @Override
    public void contextDestroyed(ServletContextEvent event) {
        Dibs made = dibs;
        if (made != null) {
            dibs = null;
            event.getServletContext().removeAttribute(ATTRIBUTE);
            made.close();
        }
    }
}
