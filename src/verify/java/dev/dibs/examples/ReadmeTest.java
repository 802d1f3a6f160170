package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first code that a newcomer copies compiles, with the imports that the page shows. */
@Tag("unit")
class ReadmeTest {

    private static final Pattern BLOCK = Pattern.compile("```java\\R(.*?)```", Pattern.DOTALL);

    /** The reader's own code around it. */
    private static final String AROUND = """
            %s
            class Readme {
                void pull() {}
                void push(java.sql.Connection connection) {}
                void tellBusy(java.util.Optional<LeaseInfo> holder) {}
                void exportAll() {}
                void run(javax.sql.DataSource dataSource, String customerId) {
            %s
                }
            }
            """;

    @Test
    void theFirstBlockCompiles(@TempDir Path folder) throws Exception {
        String readme = Files.readString(Path.of("README.md"));
        Matcher block = BLOCK.matcher(readme);
        assertThat(block.find()).isTrue();
        String text = block.group(1);
        assertThat(compile(AROUND.formatted(lines(text, true), lines(text, false)), folder))
                .isEmpty();
        assertThat(text).contains(".createSchema()");
        assertThat(readme.substring(0, readme.indexOf("## ")))
                .contains("<artifactId>dibs</artifactId>", version(Files.readString(Path.of("pom.xml"))));
    }

    private static String lines(String text, boolean imports) {
        return text.lines()
                .filter(line -> line.startsWith("import ") == imports)
                .collect(Collectors.joining("\n"));
    }

    private static String version(String pom) {
        int start = pom.indexOf("<version>");
        return pom.substring(start, pom.indexOf("</version>", start));
    }

    /** The errors of the compiler. */
    private static String compile(String source, Path folder) {
        StringWriter said = new StringWriter();
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Readme.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignored) {
                        return source;
                    }
                };
        List<String> options =
                List.of("-proc:none", "-d", folder.toString(), "-cp", System.getProperty("java.class.path"));
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(said, null, null, options, null, List.of(file))
                .call();
        return compiled ? "" : said.toString();
    }
}
