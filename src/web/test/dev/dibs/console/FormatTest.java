package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.text.Html;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Foreign texts are shown and have no effect. */
@Tag("unit")
class FormatTest {

    private static final Path CONSOLE = Path.of("src", "web", "resources", "dev", "dibs", "console");

    @Test
    void aMessageIsOnOneLine() {
        assertThat(Format.message("ERROR: no\r\n  Where: here\n\nthere\u202e\n"))
                .isEqualTo("ERROR: no Where: here there\\u202e");
    }

    @Test
    void invisibleCharactersAreWrittenAsCodes() {
        assertThat(Format.text("a\u0000b\nc\u202ed\u200be\u2028f\ufeff"))
                .isEqualTo("a\\u0000b\\u000ac\\u202ed\\u200be\\u2028f\\ufeff");
        assertThat(Format.text("ü 日本 $1 \\")).isEqualTo("ü 日本 $1 \\");
        assertThat(Format.lines("a\r\n\tb\u202e")).isEqualTo("a\n\tb\\u202e");
    }

    @Test
    void markupIsText() {
        assertThat(Html.escape("<a href='x' b=\"y\">&`</a>"))
                .isEqualTo("&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;&#96;&lt;/a&gt;");
    }

    @Test
    void passwordsAreNotShown() {
        assertThat(Format.masked("jdbc:x://u:secret99@h?password=hunter22 failed"))
                .doesNotContain("secret99", "hunter22")
                .contains("failed");
    }

    /** In a template, values are escaped, stand in quotes if they are attributes, and are never script or style. */
    @Test
    void noTemplateLetsMarkupThrough() throws IOException {
        List<Path> templates;
        try (Stream<Path> files = Files.list(CONSOLE)) {
            templates =
                    files.filter(file -> file.toString().endsWith(".mustache")).toList();
        }
        assertThat(templates).hasSizeGreaterThan(8);
        for (Path template : templates) {
            String text = Files.readString(template);
            assertThat(text)
                    .as(template.toString())
                    .doesNotContain("{{{", "{{&", "<style", " style=", "javascript:")
                    .doesNotContainPattern("\\son[a-z]+=")
                    .doesNotContainPattern("\\s[a-z-]+=\\{\\{")
                    .doesNotContainPattern("<script(?! src=\"\\{\\{frame.script}}\" defer></script>)");
        }
    }

    /** The renderer that a template's class brings escapes nothing. */
    @Test
    void everyTemplateIsRenderedWithTheEscaper() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src", "web", "java", "dev", "dibs", "console"))) {
            for (Path file : files.toList()) {
                String text = Files.readString(file);
                assertThat(text)
                        .as(file.toString())
                        .doesNotContain("Renderer.of(")
                        .doesNotContainPattern("new \\w+Renderer");
                for (String line :
                        text.lines().filter(one -> one.contains("Renderer.")).toList()) {
                    assertThat(line).containsPattern("Renderer\\.render\\(\\w+, out, Html::text, Html::escape\\)");
                }
            }
        }
    }
}
