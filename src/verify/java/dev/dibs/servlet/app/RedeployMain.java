package dev.dibs.servlet.app;

import dev.dibs.Dibs;
import dev.dibs.servlet.LockFilter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.management.ObjectName;
import javax.sql.DataSource;
import org.apache.catalina.core.JreMemoryLeakPreventionListener;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.startup.ContextConfig;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.scan.StandardJarScanner;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;

/**
 * Deploys the application of {@code servlet/redeployed.xml} again and again, with all classes of Dibs in its own class loader, and prints
 * its leftovers. Arguments: a directory for its files, how often, the class of the listener.
 */
public final class RedeployMain {

    private static final int COLLECTIONS = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Path directory;
    private final Tomcat tomcat = new Tomcat();
    private final HttpClient browser = HttpClient.newHttpClient();
    private final List<WeakReference<ClassLoader>> loaders = new ArrayList<>();

    private RedeployMain(Path directory) {
        this.directory = directory;
    }

    public static void main(String[] args) throws Exception {
        Logger.getLogger("").addHandler(new PrintedWarnings());
        DataSource pool = (DataSource) new PoolFactory().getObjectInstance(null, null, null, null);
        try (Dibs dibs = Dibs.on(pool)) {
            dibs.admin().createSchema();
        }
        RedeployMain main = new RedeployMain(Path.of(args[0]));
        main.layOut(args[2]);
        main.start();
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            main.deployAndUndeploy();
        }
        main.printLeftovers();
    }

    private void layOut(String listener) throws IOException, URISyntaxException {
        Path classes = Files.createDirectories(directory.resolve("app/WEB-INF/classes"));
        add(locationOf(Dibs.class));
        add(locationOf(LockFilter.class));
        copy(locationOf(RedeployMain.class).resolve("dev/dibs/servlet/app"), classes.resolve("dev/dibs/servlet/app"));
        try (InputStream source = RedeployMain.class.getResourceAsStream("/servlet/redeployed.xml")) {
            String text = new String(source.readAllBytes(), StandardCharsets.UTF_8);
            Files.writeString(
                    directory.resolve("app/WEB-INF/web.xml"),
                    text.replace("dev.dibs.servlet.DibsContextListener", listener));
        }
    }

    /** A jar or, if nothing has been packaged, a folder of classes. */
    private void add(Path library) throws IOException {
        if (Files.isDirectory(library)) {
            copy(library, directory.resolve("app/WEB-INF/classes"));
        } else {
            Path jars = Files.createDirectories(directory.resolve("app/WEB-INF/lib"));
            Files.copy(library, jars.resolve(library.getFileName()));
        }
    }

    private static Path locationOf(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            files.filter(Files::isRegularFile).forEach(file -> {
                try {
                    Path copy = to.resolve(from.relativize(file).toString());
                    Files.createDirectories(copy.getParent());
                    Files.copy(file, copy);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    private void start() throws Exception {
        tomcat.setBaseDir(directory.toString());
        tomcat.setPort(0);
        tomcat.enableNaming();
        tomcat.getConnector()
                .setProperty("address", InetAddress.getLoopbackAddress().getHostAddress());
        tomcat.getServer().addLifecycleListener(new JreMemoryLeakPreventionListener());
        // Tomcat's own background thread works in the applications' names, and would be mistaken for theirs at that
        // moment.
        tomcat.getEngine().setBackgroundProcessorDelay(-1);
        tomcat.getHost();
        tomcat.start();
    }

    private static StandardContext context(String path, Path docBase) {
        StandardContext context = new StandardContext();
        context.setName(path);
        context.setPath(path);
        context.setDocBase(docBase.toString());
        context.setParentClassLoader(RedeployMain.class.getClassLoader());
        ((StandardJarScanner) context.getJarScanner()).setScanClassPath(false);
        context.addLifecycleListener(new ContextConfig());
        return context;
    }

    private void deployAndUndeploy() throws Exception {
        StandardContext context = context("/app", directory.resolve("app"));
        context.getNamingResources().addResource(WebAppMain.pool());
        tomcat.getHost().addChild(context);
        ClassLoader loader = context.getLoader().getClassLoader();
        if (loader.loadClass(Dibs.class.getName()).getClassLoader() != loader) {
            throw new IllegalStateException("the application has not loaded Dibs itself");
        }
        loaders.add(new WeakReference<>(loader));
        System.out.println("ANSWER " + get("/app/7"));
        awaitIdle();
        tomcat.getHost().removeChild(context);
    }

    /** The thread of a request goes on for a moment after the answer, in the application's name. */
    private void awaitIdle() throws InterruptedException {
        ThreadPoolExecutor requests =
                (ThreadPoolExecutor) tomcat.getConnector().getProtocolHandler().getExecutor();
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (requests.getActiveCount() > 0 && System.nanoTime() < end) {
            Thread.sleep(1);
        }
    }

    private String get(String path) throws IOException, InterruptedException {
        String url = "http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":"
                + tomcat.getConnector().getLocalPort() + path;
        return browser.send(
                        HttpRequest.newBuilder(URI.create(url))
                                .timeout(PATIENCE)
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    private void printLeftovers() throws Exception {
        takeThePlaceInTheJdk();
        for (int i = 0; i < COLLECTIONS && alive() > 0; i++) {
            System.gc();
            Thread.sleep(100);
        }
        System.out.println("LOADERS " + alive());
        System.out.println(
                "LEAKS " + Arrays.toString(((StandardHost) tomcat.getHost()).findReloadedContextMemoryLeaks()));
        System.out.println("THREADS "
                + Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .filter(name -> name.startsWith("dibs-") || name.equals("waiter"))
                        .toList());
        System.out.println(
                "MBEANS " + ManagementFactory.getPlatformMBeanServer().queryNames(new ObjectName("dev.dibs:*"), null));
        System.exit(0);
    }

    /**
     * Java 17 keeps the class of the record whose {@code equals} was last called for the first time, and so the class loader of the last
     * application with records: one in the whole JVM, until another takes its place (ObjectMethods.OBJECT_EQ).
     */
    private static void takeThePlaceInTheJdk() {
        if (!new Other("a").equals(new Other("a"))) {
            throw new IllegalStateException();
        }
    }

    private record Other(String name) {}

    private long alive() {
        return loaders.stream().filter(loader -> loader.get() != null).count();
    }

    /** Warnings of Tomcat and of all others. */
    private static final class PrintedWarnings extends Handler {

        @Override
        public void publish(LogRecord record) {
            if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
                System.out.println("WARNED " + record.getLoggerName() + ": " + record.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
