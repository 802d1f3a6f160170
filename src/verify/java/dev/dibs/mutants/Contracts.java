package dev.dibs.mutants;

import dev.dibs.database.OnEachDatabase;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The contracts, by the names of their tests, which are unique. */
final class Contracts {

    private static final String PACKAGE = "dev.dibs.contract";

    private Contracts() {}

    /** Each test with its class. */
    static Map<String, Class<?>> byTest() {
        Map<String, Class<?>> tests = new TreeMap<>();
        try {
            Path classes = Path.of(OnEachDatabase.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            try (Stream<Path> files = Files.walk(classes.resolve(PACKAGE.replace('.', '/')))) {
                for (Path file : files.toList()) {
                    String name = classes.relativize(file).toString();
                    if (name.endsWith("Contract.class")) {
                        add(tests, Class.forName(name.replace(".class", "").replace(File.separatorChar, '.')));
                    }
                }
            }
        } catch (IOException | URISyntaxException | ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        return tests;
    }

    private static void add(Map<String, Class<?>> tests, Class<?> contract) {
        for (Method method : contract.getDeclaredMethods()) {
            if (method.isAnnotationPresent(Test.class)) {
                Class<?> other = tests.put(method.getName(), contract);
                if (other != null) {
                    throw new IllegalStateException(method.getName() + " is in " + other + " and in " + contract);
                }
            }
        }
    }
}
