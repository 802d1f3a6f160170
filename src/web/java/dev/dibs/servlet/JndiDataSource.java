package dev.dibs.servlet;

import javax.naming.InitialContext;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;
import javax.sql.DataSource;

/** The data source that the container has under a name. */
final class JndiDataSource {

    private static final String ENVIRONMENT = "java:comp/env/";

    private JndiDataSource() {}

    /** Finds it by its full name, or by its name in the application's environment, such as {@code jdbc/dibs}. */
    static DataSource find(String name) {
        String full = name.startsWith("java:") ? name : ENVIRONMENT + name;
        Object found = lookUp(full);
        if (found instanceof DataSource dataSource) {
            return dataSource;
        }
        throw new IllegalStateException("The object at " + full + " is not a javax.sql.DataSource, but "
                + (found == null ? "null" : "a " + found.getClass().getName()) + ". " + advice(full));
    }

    /** The name comes from the application and begins with {@code java:}, so the lookup does not leave this machine. */
    @SuppressWarnings("BanJNDI")
    private static Object lookUp(String name) {
        try {
            return new InitialContext().lookup(name);
        } catch (NameNotFoundException e) {
            throw new IllegalStateException("There is no object at " + name + ". " + advice(name), e);
        } catch (NoInitialContextException e) {
            throw new IllegalStateException(
                    "There is no JNDI to look up " + name + ": an embedded container may have to enable it, as"
                            + " Tomcat.enableNaming() does. Or give the data source in Java: new DibsContextListener("
                            + "Dibs.builder(dataSource))",
                    e);
        } catch (NamingException e) {
            throw new IllegalStateException(
                    "The object at " + name + " could not be obtained: " + reason(e) + ". " + advice(name), e);
        }
    }

    private static String reason(NamingException e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }

    private static String advice(String name) {
        String resource = name.startsWith(ENVIRONMENT) ? name.substring(ENVIRONMENT.length()) : name;
        return "Declare a data source of that name to the container (in Tomcat: <Resource name=\"" + resource
                + "\" type=\"javax.sql.DataSource\" ../> in the application's META-INF/context.xml), or name another"
                + " one in the context parameter " + ContextSettings.DATA_SOURCE;
    }
}
