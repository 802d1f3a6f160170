package dev.dibs.mutants;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/** The contracts, by their tests: {@code TheContract.method}. */
final class Contracts {

    private static final Path SOURCES = Path.of("src", "verify", "java");

    private Contracts() {}

    /** The names of their classes. Nothing here is compiled against the contracts, so their sources say which there are. */
    static List<String> classes() {
        try (Stream<Path> files = Files.walk(SOURCES.resolve("dev/dibs/contract"))) {
            return files.map(file -> SOURCES.relativize(file).toString())
                    .filter(name -> name.endsWith("Contract.java"))
                    .map(name -> name.replace(".java", "").replace(File.separatorChar, '.'))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Each test with its class. */
    static Map<String, Class<?>> byTest() {
        Map<String, Class<?>> tests = new TreeMap<>();
        for (String contract : classes()) {
            try {
                add(tests, Class.forName(contract));
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }
        return tests;
    }

    /** Also one with parameters. */
    static boolean isTest(Method method) {
        return AnnotationSupport.isAnnotated(method, Testable.class);
    }

    private static void add(Map<String, Class<?>> tests, Class<?> contract) {
        for (Method method : contract.getDeclaredMethods()) {
            if (isTest(method)) {
                tests.put(contract.getSimpleName() + "." + method.getName(), contract);
            }
        }
    }
}
