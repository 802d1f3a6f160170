package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A driver in a jar that is not on the command's class path. It passes all on to H2. */
@Tag("process")
class DriverJarTest {

    private static final String URL = "jdbc:elsewhere:mem:driver-jar;DB_CLOSE_DELAY=60";

    private static final String SOURCE = """
        public class ElsewhereDriver extends org.h2.Driver {
            private static String there(String url) {
                return url.replace("jdbc:elsewhere:", "jdbc:h2:");
            }
            @Override
            public boolean acceptsURL(String url) {
                return url.startsWith("jdbc:elsewhere:");
            }
            @Override
            public java.sql.Connection connect(String url, java.util.Properties info) throws java.sql.SQLException {
                return super.connect(there(url), info);
            }
        }
        """;

    @TempDir
    private static Path folder;

    private static Path driver;
    private static Path other;

    @BeforeAll
    static void compile() throws IOException {
        Path source = Files.writeString(folder.resolve("ElsewhereDriver.java"), SOURCE);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler.run(
                        null,
                        null,
                        null,
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        folder.toString(),
                        source.toString()))
                .isZero();
        driver = folder.resolve("driver.jar");
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(driver))) {
            add(jar, "ElsewhereDriver.class", Files.readAllBytes(folder.resolve("ElsewhereDriver.class")));
            add(jar, "META-INF/services/java.sql.Driver", "ElsewhereDriver\n".getBytes(StandardCharsets.UTF_8));
        }
        other = folder.resolve("other.jar");
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(other))) {
            add(jar, "nothing.txt", new byte[0]);
        }
    }

    private static void add(JarOutputStream jar, String name, byte[] content) throws IOException {
        jar.putNextEntry(new JarEntry(name));
        jar.write(content);
        jar.closeEntry();
    }

    @Test
    void theOptionNamesTheJarOfADriver() {
        Cli.Outcome made = new Cli(Map.of()).run("init", "--url", URL, "--user", "sa", "--driver", driver.toString());
        assertThat(made.err()).isEmpty();
        assertThat(made.exitCode()).isZero();
    }

    @Test
    void theVariableNamesSeveralJars() {
        String jars = other + File.pathSeparator + driver;
        Cli cli = new Cli(Map.of("DIBS_URL", URL, "DIBS_USER", "sa", "DIBS_DRIVER", jars));
        cli.ok("init");
        assertThat(cli.run("locks").out()).contains("NAME");
    }

    @Test
    void aJarWithoutADriverForTheUrlIsAMistake() {
        Cli cli = new Cli(Map.of("DIBS_URL", URL, "DIBS_DRIVER", other.toString()));
        assertThat(cli.run("locks").err())
                .contains("no driver takes the url 'jdbc:elsewhere:", "Name its jar by --driver, or in DIBS_DRIVER");
    }

    @Test
    void aBrokenJarIsAMistake() throws IOException {
        Path broken = folder.resolve("broken.jar");
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(broken))) {
            add(jar, "META-INF/services/java.sql.Driver", "no.such.Driver\n".getBytes(StandardCharsets.UTF_8));
        }
        Cli cli = new Cli(Map.of("DIBS_URL", URL, "DIBS_DRIVER", broken.toString()));
        assertThat(cli.run("locks").err()).contains("no driver can be loaded from", "no.such.Driver");
    }
}
