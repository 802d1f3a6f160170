package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.AnnotationSupport;

/** Each class of tests names its kind; docs/lab/tests.md has a table of the kinds. */
@Tag("unit")
class KindsTest {

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

    /** They are not on the class path. */
    @Test
    void eachClassOfTestsOfAnAdapterHasOneKind() {
        List<Path> tests = Sources.adapters().stream()
                .map(adapter -> adapter.resolve("test"))
                .filter(Files::isDirectory)
                .flatMap(root -> Sources.files(root, "Test.java").stream())
                .toList();
        assertThat(tests)
                .isNotEmpty()
                .allSatisfy(test -> assertThat(Sources.lines(test))
                        .filteredOn(line -> KINDS.stream().anyMatch(kind -> line.equals("@Tag(\"" + kind + "\")")))
                        .hasSize(1));
    }

    @Test
    void eachKindIsExplained() throws IOException {
        String page = Files.readString(Path.of("docs", "lab", "tests.md"));
        assertThat(KINDS).allSatisfy(kind -> assertThat(page).contains("| `" + kind + "` |"));
    }

    /** How databases differ is in their {@code Traits}. */
    @Test
    void noContractAsksForADatabasesName() {
        Pattern asks = Pattern.compile(
                "database(\\(\\))?\\.name\\(\\)\\.(equals|startsWith|matches)|\\(\"(h2|postgresql|mariadb|mysql|sqlserver)\""
                        + ".*contains\\(|case \"(h2|postgresql|mariadb|mysql|sqlserver)\"");
        List<String> found = Sources.files(Path.of("src", "verify", "java"), ".java").stream()
                .filter(file -> !file.startsWith(Path.of("src", "verify", "java", "dev", "dibs", "rules")))
                .flatMap(file -> Sources.lines(file).stream()
                        .filter(line -> asks.matcher(line).find())
                        .map(line -> file + ": " + line.strip()))
                .toList();
        assertThat(found).isEmpty();
    }

    /** A test is named after the behaviour that it shows, without a relative clause. */
    @Test
    void noTestIsNamedByARiddle() {
        Pattern riddle = Pattern.compile(
                "void (?:\\w*(?:What|Who|Whoever|Whatever|Anew|AllTheSame|OnesOwn)|what|who|whoever|whatever)(?:[A-Z]\\w*)?\\(");
        List<String> found = Sources.testRoots().stream()
                .flatMap(root -> Sources.files(root, ".java").stream())
                .flatMap(file -> Sources.lines(file).stream()
                        .filter(line -> riddle.matcher(line).find())
                        .map(line -> file + ": " + line.strip()))
                .toList();
        assertThat(found).isEmpty();
    }

    /** Of the tests that are compiled with this one: those of the lab and the adapters are not on the class path. */
    private static List<Class<?>> classes() throws Exception {
        List<Class<?>> classes = new ArrayList<>();
        for (Path root : Sources.testRoots()) {
            for (Path file : Sources.files(root, ".java")) {
                if (!root.endsWith("lab/java")
                        && !root.startsWith(Sources.ADAPTERS)
                        && file.toString().matches(".*(Test|Contract|IT)\\.java")) {
                    String name = root.relativize(file).toString().replace('/', '.');
                    Class<?> type =
                            Class.forName(name.replaceAll("\\.java$", ""), false, KindsTest.class.getClassLoader());
                    if (!Modifier.isAbstract(type.getModifiers())) {
                        classes.add(type);
                    }
                }
            }
        }
        assertThat(classes).hasSizeGreaterThan(100);
        return classes;
    }
}
