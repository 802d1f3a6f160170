package dev.dibs.servlet;

import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import org.jspecify.annotations.Nullable;

/**
 * Gives a web application its {@link Dibs}. It is created when the application starts, {@link #of} finds it, and it is closed when
 * the application ends. Then its locks are released, its threads end, and nothing of it keeps the application's class loader.
 *
 * <p>In a {@code web.xml} it needs only its class name. The data source is the one at {@code java:comp/env/jdbc/dibs}. These
 * context parameters change the settings:
 *
 * <ul>
 * <li>{@code dibs.dataSource}: another name; one without {@code java:} is looked up below {@code java:comp/env/}
 * <li>{@code dibs.createSchema}: {@code true} creates the missing tables; names of {@linkplain Capability capabilities}, as in
 * {@code locks,once}, create those of these capabilities; default {@code false}
 * <li>{@code dibs.schema}, {@code dibs.tablePrefix}, {@code dibs.holder}, {@code dibs.leaseSeconds}: as in {@link DibsBuilder}
 * </ul>
 *
 * <p>If there is no such data source, the database cannot be reached, or tables are missing, the application does not start, and
 * the exception says what to do.
 */
@SuppressWarnings("exports")
public final class DibsContextListener implements ServletContextListener {

    /**
     * The attribute of the {@link ServletContext} with the {@link Dibs}. An application that creates its own may put it there, for
     * the other classes of this package. Then the application closes it.
     */
    public static final String ATTRIBUTE = "dev.dibs.Dibs";

    private final @Nullable DibsBuilder builder;
    private volatile @Nullable Dibs dibs;

    /** For a {@code web.xml}: uses the data source and the settings of the context parameters. */
    public DibsContextListener() {
        this.builder = null;
    }

    /** For settings in Java: of the context parameters only {@code dibs.createSchema} applies. */
    public DibsContextListener(DibsBuilder builder) {
        this.builder = builder;
    }

    /**
     * The {@link Dibs} of the application.
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
     * Creates the {@link Dibs}.
     *
     * @throws IllegalStateException if a setting is wrong, or there is no such data source
     * @throws dev.dibs.DatabaseFailureException if the database cannot be reached, or tables are missing
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

    /** Closes the {@link Dibs}. */
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
