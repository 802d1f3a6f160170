package dev.dibs.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The messages about wrong configurations. The rest is tested in real containers. */
@Tag("unit")
class DibsContextListenerTest {

    private final Map<String, String> parameters = new HashMap<>();
    private final Map<String, Object> attributes = new HashMap<>();

    private final ServletContext context =
            (ServletContext) proxy(ServletContext.class, (name, arguments) -> switch (name) {
                case "getContextPath" -> "/shop";
                case "getInitParameter" -> parameters.get((String) arguments[0]);
                case "getAttribute" -> attributes.get((String) arguments[0]);
                case "setAttribute" -> attributes.put((String) arguments[0], arguments[1]);
                case "removeAttribute" -> attributes.remove((String) arguments[0]);
                default -> throw new UnsupportedOperationException(name);
            });

    private interface Answers {
        Object to(String method, Object[] arguments);
    }

    private static Object proxy(Class<?> type, Answers answers) {
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> answers.to(method.getName(), arguments));
    }

    private static JdbcDataSource database(String name) {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
        return database;
    }

    private ServletContextEvent event() {
        return new ServletContextEvent(context);
    }

    @Test
    void createsAndClosesDibs() {
        parameters.put("dibs.createSchema", "true");
        DibsContextListener listener = new DibsContextListener(Dibs.builder(database("made")));
        listener.contextInitialized(event());
        Dibs dibs = DibsContextListener.of(context);
        assertThat(dibs.lock("a").tryAcquire()).isPresent();
        assertThatThrownBy(() -> listener.contextInitialized(event())).hasMessageContaining("has a Dibs already");
        listener.contextDestroyed(event());
        listener.contextDestroyed(event());
        assertThatThrownBy(() -> dibs.lock("a").tryAcquire()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> DibsContextListener.of(context))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'/shop' has no Dibs")
                .hasMessageContaining(DibsContextListener.class.getName());
    }

    @Test
    void makesTheTablesOfTheCapabilitiesThatAreNamed() {
        parameters.put("dibs.createSchema", "locks, once");
        DibsContextListener listener = new DibsContextListener(Dibs.builder(database("some")));
        listener.contextInitialized(event());
        Dibs dibs = DibsContextListener.of(context);
        dibs.admin().checkSchema(Capability.LOCKS, Capability.ONCE);
        assertThatThrownBy(() -> dibs.admin().checkSchema(Capability.TOKENS)).hasMessageContaining("dibs_token");
        listener.contextDestroyed(event());
    }

    @Test
    void missingTablesHaveARemedy() {
        DibsContextListener listener = new DibsContextListener(Dibs.builder(database("empty")));
        assertThatThrownBy(() -> listener.contextInitialized(event()))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("dibs_lock")
                .hasMessageContaining("dibs schema h2")
                .hasMessageContaining("dibs.createSchema = true");
        assertThat(attributes).isEmpty();
        listener.contextDestroyed(event());
    }

    /** JNDI finds the classes of a server, and its objects, through the thread's class loader. This one has none of them. */
    @Test
    void missingJndiIsReported() {
        Thread self = Thread.currentThread();
        ClassLoader withServers = self.getContextClassLoader();
        self.setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            assertThatThrownBy(() -> new DibsContextListener().contextInitialized(event()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("There is no JNDI to look up java:comp/env/jdbc/dibs");
            parameters.put("dibs.dataSource", "jdbc/other");
            assertThatThrownBy(() -> new DibsContextListener().contextInitialized(event()))
                    .hasMessageContaining("There is no JNDI to look up java:comp/env/jdbc/other");
        } finally {
            self.setContextClassLoader(withServers);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "dibs.createSchema, yes",
        "dibs.createSchema, 'locks,yes'",
        "dibs.createSchema, ' '",
        "dibs.dataSource, ' '"
    })
    void aWrongParameterIsNamed(String parameter, String value) {
        parameters.put(parameter, value);
        assertThatThrownBy(() -> new DibsContextListener().contextInitialized(event()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("The context parameter " + parameter + " is '" + value + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "kind, a, no init parameter key",
        "key, cookie, it must be session",
        "key, header:, it must be session",
        "key, path:x, no whole number",
        "key, path:0, there is no part 0",
        "waitSecond, 5, there is no such parameter",
        "waitSeconds, -1, out of bounds",
        "waitSeconds, 1.5, no whole number",
        "waitSeconds, 601, out of bounds",
        "busyStatus, 200, does not mean busy",
        "retryAfterSeconds, 0, out of bounds",
        "noKey, ignore, refuse or pass",
        "digest, yes, true or false",
        "methods, post, in capital letters",
        "methods, 'POST,', in capital letters",
        "kind, a:b, without a colon",
        "kind, '', without a colon",
    })
    void aFilterReportsTheSame(String parameter, String value, String message) {
        Map<String, String> settings = new HashMap<>(Map.of(parameter, value));
        if (!message.startsWith("no init parameter")) {
            settings.putIfAbsent("key", "user");
        }
        FilterConfig config = config(settings);
        assertThatThrownBy(() -> new LockFilter().init(config))
                .isInstanceOf(ServletException.class)
                .hasMessageContaining("filter sync")
                .hasMessageContaining(message);
    }

    @Test
    void aFilterNeedsADibsAndOneKindOfSettings() {
        assertThatThrownBy(() -> new LockFilter().init(config(Map.of("key", "user"))))
                .isInstanceOf(ServletException.class)
                .hasMessageContaining("has no Dibs");
        LockFilter built = LockFilter.builder(LockKey.user())
                .waitUpTo(Duration.ofSeconds(1))
                .build();
        assertThatThrownBy(() -> built.init(config(Map.of("key", "user"))))
                .isInstanceOf(ServletException.class)
                .hasMessageContaining("from its builder");
    }

    private FilterConfig config(Map<String, String> settings) {
        return (FilterConfig) proxy(FilterConfig.class, (name, arguments) -> switch (name) {
            case "getFilterName" -> "sync";
            case "getServletContext" -> context;
            case "getInitParameter" -> settings.get((String) arguments[0]);
            case "getInitParameterNames" -> Collections.enumeration(settings.keySet());
            default -> throw new UnsupportedOperationException(name);
        });
    }
}
