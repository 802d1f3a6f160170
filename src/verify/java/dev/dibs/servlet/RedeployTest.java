package dev.dibs.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullRun;
import dev.dibs.process.ChildJvm;
import dev.dibs.servlet.app.CarelessListener;
import dev.dibs.servlet.app.RedeployMain;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application that is deployed again and again, in a Tomcat that looks for its leftovers. */
@Tag("container")
@FullRun
class RedeployTest {

    private static final Duration PATIENCE = Duration.ofMinutes(8);
    private static final int OFTEN = 20;

    /** For Tomcat's search. */
    private static final List<String> OPENED = List.of(
            "--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.rmi/sun.rmi.transport=ALL-UNNAMED");

    @TempDir
    private Path directory;

    @Test
    void nothingIsLeftOfIt() throws Exception {
        List<String> lines = redeploy(OFTEN, DibsContextListener.class);
        assertThat(lines).filteredOn("ANSWER path:7"::equals).hasSize(OFTEN);
        assertThat(lines)
                .filteredOn(line -> line.startsWith("WARNED org.apache."))
                .isEmpty();
        assertThat(lines).contains("LOADERS 0", "LEAKS []", "THREADS []", "MBEANS []");
    }

    /** This test would find leftovers. */
    @Test
    void anUnclosedInstanceIsFound() throws Exception {
        List<String> lines = redeploy(2, CarelessListener.class);
        assertThat(lines).filteredOn("ANSWER path:7"::equals).hasSize(2);
        assertThat(lines)
                .filteredOn(line -> line.startsWith("WARNED "))
                .anyMatch(line -> line.contains("dibs-heartbeat"));
        assertThat(lines).contains("LOADERS 2", "LEAKS [/app, /app]").doesNotContain("THREADS []", "MBEANS []");
    }

    private List<String> redeploy(int times, Class<?> listener) throws Exception {
        // The application is made of directories of classes.
        try (ChildJvm tomcat = ChildJvm.startOn(
                System.getProperty("java.class.path"),
                OPENED,
                RedeployMain.class,
                directory.toString(),
                String.valueOf(times),
                listener.getName())) {
            tomcat.awaitLine(line -> line.startsWith("MBEANS "), PATIENCE);
            return tomcat.lines();
        }
    }
}
