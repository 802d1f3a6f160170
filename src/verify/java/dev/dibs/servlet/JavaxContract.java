package dev.dibs.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.process.ChildJvm;
import dev.dibs.servlet.app.WebAppMain;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jar with javax.servlet in an old Tomcat: its listener and filter, and the application of the other tests, whose sources are compiled
 * with the old package name.
 */
@Tag("container")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JavaxContract implements AsyncContract {

    private static final Path SOURCES = Path.of("src", "verify", "java");
    private static final String OLD = "javax.servlet";
    private static final String NEW = "jakarta.servlet";

    private final String tomcat;
    private WebApplication application;

    JavaxContract(String tomcat) {
        this.tomcat = tomcat;
    }

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        Path containers = Path.of(System.getProperty("javax.containers"));
        List<String> classPath = new ArrayList<>();
        classPath.add(System.getProperty("javax.jar"));
        classPath.add(jarOf(Dibs.class));
        classPath.add(containers.resolve("tomcat-embed-core-" + tomcat + ".jar").toString());
        try (Stream<Path> jars = Files.list(containers)) {
            jars.filter(jar -> jar.getFileName().toString().startsWith("tomcat-annotations"))
                    .forEach(jar -> classPath.add(jar.toString()));
        }
        classPath.add(jarOf(org.h2.Driver.class));
        classPath.add(jarOf(org.jspecify.annotations.NullMarked.class));
        Path classes = compiled(directory, String.join(File.pathSeparator, classPath));
        classPath.add(classes.toString());
        classPath.add("test-resources");
        application = new WebApplication(ChildJvm.startOn(
                String.join(File.pathSeparator, classPath),
                WebAppMain.class,
                directory.resolve("container").toString()));
    }

    private static String jarOf(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }

    private static Path compiled(Path directory, String classPath) throws IOException {
        Path sources = Files.createDirectory(directory.resolve("sources"));
        Path classes = Files.createDirectory(directory.resolve("classes"));
        List<String> arguments = new ArrayList<>(List.of("-cp", classPath, "-d", classes.toString(), "-proc:none"));
        Path folder = SOURCES.resolve(WebAppMain.class.getPackageName().replace('.', '/'));
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Path copy = sources.resolve(file.getFileName());
                Files.writeString(copy, Files.readString(file).replace(NEW, OLD));
                arguments.add(copy.toString());
            }
        }
        int result = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(result).isZero();
        return classes;
    }

    @AfterAll
    void stop() {
        application.close();
    }

    @Override
    public WebApplication application() {
        return application;
    }
}
