package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import java.io.File;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An application that has no Gson still has the pages. */
@Tag("unit")
class WithoutLibrariesTest {

    @Test
    void thePagesNeedNothingButTheJdk() throws Exception {
        URL[] urls = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(path -> !path.matches(".*(gson|jstachio|servlet-api|tomcat).*"))
                .map(WithoutLibrariesTest::url)
                .toArray(URL[]::new);
        try (URLClassLoader poor = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            Constructor<?> visitor = poor.loadClass(Visitor.class.getName()).getDeclaredConstructor();
            visitor.setAccessible(true);
            assertThat(((Callable<?>) visitor.newInstance()).call())
                    .isEqualTo("200 501 JSON needs com.google.code.gson:gson among the application's libraries 200");
        }
    }

    private static URL url(String path) {
        try {
            return new File(path).toURI().toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }

    /** Loaded by that other class loader. */
    static final class Visitor implements Callable<String> {

        @Override
        public String call() {
            JdbcDataSource source = new JdbcDataSource();
            source.setURL("jdbc:h2:mem:poor;DB_CLOSE_DELAY=-1");
            try (Dibs dibs = Dibs.on(source)) {
                dibs.admin().createSchema();
                Pages pages = new Pages(new Snapshot(dibs, System::nanoTime));
                Answer json = pages.get(pageRequest("locks", true));
                return pages.get(pageRequest("locks", false)).status() + " " + json.status() + " "
                        + json.body().strip() + " "
                        + pages.get(pageRequest("metrics", false)).status();
            }
        }

        private static PageRequest pageRequest(String page, boolean json) {
            PageRequest.Who who = new PageRequest.Who("", "", false);
            return new PageRequest(page, Map.of(), Map.of(), who, json, false, "", Optional.empty(), Optional.empty());
        }
    }
}
