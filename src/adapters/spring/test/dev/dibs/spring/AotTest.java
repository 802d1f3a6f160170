package dev.dibs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullRun;
import dev.dibs.process.ChildJvm;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;

/** An application that Spring has prepared ahead of time, as for a native image, starts and takes its locks. */
@Tag("flow")
@FullRun
class AotTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String CLASS_PATH = System.getProperty("java.class.path");
    private static final List<String> SETTINGS = List.of(
            "--spring.autoconfigure.exclude=" + Boot.JPA,
            "--spring.main.banner-mode=off",
            "--spring.flyway.enabled=false",
            "--spring.liquibase.enabled=false",
            "--spring.main.web-application-type=none",
            "--spring.datasource.url=jdbc:h2:mem:aot",
            "--dibs.tables=create");

    @Test
    void anApplicationStartsAfterAheadOfTimeProcessing(@TempDir Path folder) throws Exception {
        Path sources = folder.resolve("sources");
        Path resources = folder.resolve("resources");
        Path classes = Files.createDirectories(folder.resolve("classes"));
        List<String> arguments = new ArrayList<>(List.of(
                AotApplication.class.getName(),
                sources.toString(),
                resources.toString(),
                classes.toString(),
                "dev.dibs",
                "aot"));
        arguments.addAll(SETTINGS);
        run(CLASS_PATH, List.of(), SpringApplicationAotProcessor.class, arguments);
        compile(sources, classes);
        String hints = text(resources);
        assertThat(hints).contains("dev/dibs/internal/sql/files/");

        String prepared = classes + File.pathSeparator + resources + File.pathSeparator + CLASS_PATH;
        List<String> said = run(prepared, List.of("-Dspring.aot.enabled=true"), AotApplication.class, SETTINGS);
        assertThat(said)
                .anyMatch(line -> line.startsWith("LOCKED counter:42"))
                .anyMatch(line -> line.startsWith("HEALTH UP"))
                .contains("ENDED")
                .containsOnlyOnce("COUNTED");
    }

    private static List<String> run(String classPath, List<String> options, Class<?> main, List<String> arguments)
            throws InterruptedException {
        try (ChildJvm jvm = ChildJvm.startOn(classPath, options, main, arguments.toArray(String[]::new))) {
            assertThat(jvm.exitCode(PATIENCE))
                    .as(String.join("\n", jvm.lines()))
                    .isZero();
            return jvm.lines();
        }
    }

    private static void compile(Path sources, Path classes) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none", "-nowarn", "-d", classes.toString(), "-cp", classes + File.pathSeparator + CLASS_PATH));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    private static String text(Path folder) throws Exception {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                text.append(Files.readString(file));
            }
        }
        // JSON may escape a slash.
        return text.toString().replace("\\/", "/");
    }
}
