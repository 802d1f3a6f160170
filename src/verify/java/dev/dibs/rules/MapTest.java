package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page docs/lab/map.md names the folders that there are. */
@Tag("unit")
class MapTest {

    private static final Path ENGINE = Path.of("src/core/java/dev/dibs/internal");

    /** The first cell of a row. */
    private static final Pattern FOLDER = Pattern.compile("(?m)^\\| `([^`]+)` \\|");

    @Test
    void eachPackageOfTheEngineIsOnTheMap() throws IOException {
        Set<String> packages = Sources.files(ENGINE, ".java").stream()
                .map(file -> ENGINE.relativize(file.getParent()).toString())
                .filter(folder -> !folder.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
        String engine = page().split("## Everything else", -1)[0];
        assertThat(folders(engine)).hasSizeGreaterThan(10).contains(ENGINE.toString());
        assertThat(folders(engine).stream().filter(folder -> !folder.startsWith("src")))
                .containsExactlyInAnyOrderElementsOf(packages);
    }

    @Test
    void eachFolderOfTheMapExists() throws IOException {
        String rest = page().split("## Everything else", -1)[1];
        assertThat(folders(rest)).hasSizeGreaterThan(30).allMatch(folder -> Files.isDirectory(Path.of(folder)));
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("docs", "lab", "map.md"));
    }

    private static Set<String> folders(String text) {
        return FOLDER.matcher(text).results().map(found -> found.group(1)).collect(Collectors.toSet());
    }
}
