package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.pages.Page;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each row of the page about what can stop work names a contract that exists. */
@Tag("unit")
class StoppedWorkTest {

    private static final Pattern ROW = Pattern.compile("(?m)^\\|.*\\|$");
    private static final Pattern CONTRACT = Pattern.compile(".*\\| `(\\w+Contract)\\.(\\w+)` \\|");

    @Test
    void eachRowNamesAContractThatExists() {
        Map<String, Path> classes = Sources.files(Path.of("src/verify/java"), "Contract.java").stream()
                .collect(Collectors.toMap(
                        file -> file.getFileName().toString().replace(".java", ""), Function.identity()));
        List<String> rows = ROW.matcher(
                        Page.of("docs/reference/stopped-work.md").text())
                .results()
                .map(row -> row.group())
                .skip(2)
                .toList();
        assertThat(rows).hasSizeGreaterThan(15).allSatisfy(row -> {
            var contract = CONTRACT.matcher(row);
            assertThat(contract.matches()).isTrue();
            assertThat(classes).containsKey(contract.group(1));
            assertThat(Page.of(classes.get(contract.group(1))).text()).contains("void " + contract.group(2) + "(");
        });
    }
}
