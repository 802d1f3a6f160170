package dev.dibs.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullRun;
import dev.dibs.process.ChildJvm;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Weld in Tomcat: an application that has neither a transaction manager nor MicroProfile. */
@Tag("container")
@FullRun
class TomcatTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @Test
    void aMethodRunsUnderALock(@TempDir Path folder) throws Exception {
        List<String> lines = run(folder, "narayana|jbosstm|/cdi-|agroal|smallrye|microprofile|transaction");
        assertThat(lines).contains("alone: order:42", "left: []");
    }

    @Test
    void aTransactionThatIsNeverBegunIsRefused(@TempDir Path folder) throws Exception {
        List<String> lines = run(folder, "narayana|jbosstm|/cdi-|agroal|smallrye|microprofile");
        assertThat(lines)
                .contains("alone: order:42", "left: []")
                .anyMatch(line -> line.startsWith("transaction: java.lang.IllegalStateException: @Locked at ")
                        && line.contains("its transaction is never begun"));
    }

    private static List<String> run(Path folder, String without) throws InterruptedException {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Pattern.compile(without)
                        .matcher(entry.substring(entry.lastIndexOf('/')))
                        .find())
                .collect(Collectors.joining(File.pathSeparator));
        try (ChildJvm tomcat =
                ChildJvm.startOn(classPath, List.of("-Ddibs.tables=create"), TomcatMain.class, folder.toString())) {
            assertThat(tomcat.exitCode(PATIENCE))
                    .as(String.join("\n", tomcat.lines()))
                    .isZero();
            return tomcat.lines();
        }
    }
}
