package dev.dibs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullRun;
import dev.dibs.process.ChildJvm;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application of docs/situations/spring.md, pasted as it is. */
@Tag("flow")
@FullRun
class SpringPageTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String CLASS_PATH = Applications.classPathWithout("spring-web");

    @Test
    void theApplicationWorksWhenPasted(@TempDir Path folder) throws Exception {
        String page = Files.readString(Path.of("docs", "situations", "spring.md"));
        Files.writeString(folder.resolve("application.properties"), block(page, "properties", 0));
        compile(folder, Files.writeString(folder.resolve("Shop.java"), block(page, "java", 0)));
        try (ChildJvm shop = run(folder)) {
            shop.awaitLine(block(page, "text", 0).strip()::equals, PATIENCE);
        }
    }

    private static void compile(Path folder, Path source) {
        int exitCode = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-parameters",
                        "-d",
                        folder.toString(),
                        "-cp",
                        CLASS_PATH,
                        source.toString());
        assertThat(exitCode).isZero();
    }

    private static ChildJvm run(Path classes) {
        String[] arguments = List.of(
                        "shop.Shop",
                        "--spring.datasource.url=jdbc:h2:mem:shop",
                        "--spring.flyway.enabled=false",
                        "--spring.liquibase.enabled=false",
                        "--spring.autoconfigure.exclude=" + Boot.JPA)
                .toArray(String[]::new);
        return ChildJvm.startOn(classes + File.pathSeparator + CLASS_PATH, Launcher.class, arguments);
    }

    /** The block of this kind with this number, from zero on. */
    private static String block(String page, String kind, int number) {
        return Pattern.compile("```" + kind + "\n(.*?)```", Pattern.DOTALL)
                .matcher(page)
                .results()
                .skip(number)
                .map((MatchResult block) -> block.group(1))
                .findFirst()
                .orElseThrow();
    }

    /** Calls the main method of the class that its first argument names. */
    static final class Launcher {

        public static void main(String[] arguments) throws ReflectiveOperationException {
            String[] others = List.of(arguments).subList(1, arguments.length).toArray(String[]::new);
            Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) others);
        }
    }
}
