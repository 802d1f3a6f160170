package dev.dibs.examples;

import javax.naming.Context;
import org.apache.catalina.core.StandardContext;

/**
 * An application with JNDI of its own, in a server that has none. What {@link org.apache.catalina.startup.Tomcat#enableNaming}
 * switches on is one for the whole JVM: two such servers disturb each other, and a server that has none disturbs them both.
 */
final class NamingContext extends StandardContext {

    static {
        System.setProperty(Context.URL_PKG_PREFIXES, "org.apache.naming");
    }

    @Override
    public boolean isUseNaming() {
        return true;
    }
}
