package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each method that a table of a page names, as in {@code issue(subject, ttl)}, is one of the public API or of JDBC, with so many parameters. */
@Tag("unit")
class DocumentedNamesTest {

    /** The user's pages, but for the one about other languages. */
    private static final List<Path> PAGES =
            userPages().filter(page -> !page.endsWith("clients.md")).toList();

    private static final Set<String> KNOBS = Set.of("knob", "builder", "on the builder");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /** A type, if one is named, a method and what stands in its parentheses. A name with an underscore is SQL's. */
    private static final Pattern CALL = Pattern.compile("(?:\\b([A-Z]\\w*)\\.)?\\b([a-z][A-Za-z0-9]*)\\(([^()]*)\\)");

    @Test
    void theTablesNameMethodsThatExist() throws Exception {
        int seen = 0;
        for (Path page : PAGES) {
            List<String> lines = Files.readAllLines(page);
            assertThat(missing(lines))
                    .as("%s names methods that do not exist", page)
                    .isEmpty();
            seen += (int) calls(lines).count();
        }
        assertThat(seen).isGreaterThan(50);
    }

    @ParameterizedTest
    @ValueSource(strings = {"label(..)", "issue(subject)", "LockKey.part(2)", "run.setLabel(..)"})
    void aMethodThatDoesNotExistIsFound(String call) throws Exception {
        assertThat(missing(List.of("| what | how |", "|---|---|", "| who | `" + call + "` |")))
                .isNotEmpty();
    }

    /** Otherwise the other test does not see them. */
    @Test
    void theColumnsOfKnobsHaveMethodsWithParentheses() throws IOException {
        int seen = 0;
        for (Path page : PAGES) {
            int column = -1;
            for (String line : Files.readAllLines(page)) {
                List<String> cells = List.of(line.split("\\|", -1));
                if (!line.startsWith("|")) {
                    column = -1;
                } else if (column < 0) {
                    column = IntStream.range(0, cells.size())
                            .filter(i -> KNOBS.contains(cells.get(i).trim()))
                            .findFirst()
                            .orElse(0);
                } else if (column > 0 && CODE.matcher(cells.get(column)).find()) {
                    assertThat(CALL.matcher(cells.get(column)).find())
                            .as("%s: %s", page, line)
                            .isTrue();
                    seen++;
                }
            }
        }
        assertThat(seen).isGreaterThan(25);
    }

    static Stream<Path> userPages() {
        return Stream.concat(
                Stream.of(Path.of("README.md")),
                Stream.of("situations", "reference")
                        .flatMap(shelf -> Sources.files(Path.of("docs", shelf), ".md").stream()));
    }

    private static List<String> missing(List<String> lines) throws Exception {
        List<Method> methods = methods();
        return calls(lines)
                .filter(call -> methods.stream().noneMatch(method -> fits(call, method)))
                .map(MatchResult::group)
                .toList();
    }

    private static Stream<MatchResult> calls(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("|"))
                .flatMap(line -> CODE.matcher(line).results())
                .flatMap(code -> CALL.matcher(code.group(1)).results());
    }

    private static boolean fits(MatchResult call, Method method) {
        String type = call.group(1);
        String parameters = call.group(3);
        return method.getName().equals(call.group(2))
                && (type == null || method.getDeclaringClass().getSimpleName().equals(type))
                && (parameters.contains("..")
                        || method.isVarArgs()
                        || method.getParameterCount() == (parameters.isBlank() ? 0 : parameters.split(",").length));
    }

    private static List<Method> methods() throws IOException, ClassNotFoundException {
        List<Class<?>> types = new ArrayList<>(PublicApi.ofCore());
        types.addAll(PublicApi.types("web", "dev.dibs.servlet"));
        types.add(Connection.class);
        return types.stream().flatMap(type -> Stream.of(type.getMethods())).toList();
    }
}
