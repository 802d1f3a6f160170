package dev.dibs.cdi;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.microprofile.config.spi.ConfigProviderResolver;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;

/** Starts applications, each with settings of its own. */
final class Applications {

    /** Weld forgets extensions if two applications start at the same time in one process. */
    private static final Lock STARTING = new ReentrantLock();

    private Applications() {}

    /** With transactions, on an empty database. */
    static WeldContainer start(Map<String, String> settings, Class<?>... beans) {
        Map<String, String> all = new HashMap<>(Map.of("db.url", freshH2(), "db.user", "sa", "dibs.tables", "create"));
        all.putAll(settings);
        return startWith(all, weld(beans).addBeanClasses(Pool.class));
    }

    static Weld weld(Class<?>... beans) {
        return new Weld(UUID.randomUUID().toString()).addBeanClasses(beans);
    }

    /** MicroProfile has a configuration for each class loader. */
    static WeldContainer startWith(Map<String, String> settings, Weld weld) {
        Thread thread = Thread.currentThread();
        ClassLoader loader = thread.getContextClassLoader();
        ClassLoader own = new URLClassLoader(new URL[0], loader);
        ConfigProviderResolver.instance()
                .registerConfig(
                        new SmallRyeConfigBuilder()
                                .withSources(new PropertiesConfigSource(settings, "test", 100))
                                .build(),
                        own);
        thread.setContextClassLoader(own);
        STARTING.lock();
        try {
            return weld.initialize();
        } finally {
            STARTING.unlock();
            thread.setContextClassLoader(loader);
        }
    }

    /** The url of an empty database. */
    static String freshH2() {
        return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    }
}
