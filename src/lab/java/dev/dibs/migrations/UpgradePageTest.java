package dev.dibs.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.pages.JavaBlocks;
import dev.dibs.pages.Page;
import dev.dibs.pages.Reader;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java of docs/reference/upgrade.md compiles; Flyway is only on the class path of this module. */
@Tag("unit")
class UpgradePageTest {

    @Test
    void itsJavaCompiles(@TempDir Path classes) {
        Page page = Page.of(Path.of("docs", "reference").resolve("upgrade.md"));
        assertThat(page.blocks("java")).isNotEmpty();
        assertThat(new JavaBlocks(classes, Reader.class, List.of("org.flywaydb.core")).refused(page.blocks("java")))
                .isEmpty();
    }
}
