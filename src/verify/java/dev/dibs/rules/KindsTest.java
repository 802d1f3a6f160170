package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.AnnotationSupport;

/** Each class of tests names its kind; CONTRIBUTING has a table of the kinds. */
@Tag("unit")
class KindsTest {

    private static final Path TESTS = Path.of("src", "verify", "java");

    private static final Set<String> KINDS = Set.of(
            "unit", "contract", "race", "process", "fault", "plan", "steps", "model", "browser", "container", "flow");

    @Test
    void eachClassOfTestsHasOneKind() throws Exception {
        for (Class<?> type : classes()) {
            assertThat(AnnotationSupport.findRepeatableAnnotations(type, Tag.class).stream()
                            .map(Tag::value)
                            .filter(KINDS::contains))
                    .as(type.getName() + " needs one @Tag of " + KINDS)
                    .hasSize(1);
        }
    }

    @Test
    void eachKindIsExplained() throws IOException {
        String contributing = Files.readString(Path.of("CONTRIBUTING.md"));
        assertThat(KINDS).allSatisfy(kind -> assertThat(contributing).contains("| `" + kind + "` |"));
    }

    private static List<Class<?>> classes() throws Exception {
        List<Class<?>> classes = new ArrayList<>();
        try (Stream<Path> files = Files.walk(TESTS)) {
            for (Path file : files.filter(KindsTest::isOfTests).toList()) {
                String name =
                        TESTS.relativize(file).toString().replace('/', '.').replaceAll("\\.java$", "");
                Class<?> type = Class.forName(name, false, KindsTest.class.getClassLoader());
                if (!Modifier.isAbstract(type.getModifiers())) {
                    classes.add(type);
                }
            }
        }
        assertThat(classes).hasSizeGreaterThan(100);
        return classes;
    }

    private static boolean isOfTests(Path file) {
        return file.toString().matches(".*(Test|Contract|IT)\\.java");
    }
}
