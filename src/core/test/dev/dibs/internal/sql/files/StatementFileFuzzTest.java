package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.fuzz.HostileTexts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A wrong statement file causes a message that names it; never a hang, and never another error. */
@Tag("unit")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class StatementFileFuzzTest {

    private static final int FILES = 2_000;
    private static final int DIALECTS = 50;

    private final long seed = System.nanoTime();
    private final HostileTexts texts = new HostileTexts(seed);

    @Test
    void aFileIsReadOrRefused() throws IOException {
        List<String> good =
                List.of(Files.readString(Path.of("sql/leases.sql")), Files.readString(Path.of("sql/tokens.sql")));
        int refused = 0;
        for (int i = 0; i < FILES; i++) {
            String text = spoilt(texts.any(good));
            try {
                StatementFile.parse("fuzz/x.sql", text);
            } catch (IllegalArgumentException e) {
                refused++;
                assertThat(e.getMessage()).as("seed %d", seed).contains("fuzz/x.sql");
            }
        }
        assertThat(refused).as("seed %d", seed).isBetween(1, FILES - 1);
    }

    @Test
    void aDialectIsLoadedOrRefused(@TempDir Path parent) throws IOException {
        String good = Files.readString(Path.of("sql/leases.sql"));
        for (int i = 0; i < DIALECTS; i++) {
            Path folder = Files.createDirectory(parent.resolve("d" + i));
            Files.writeString(folder.resolve("dialect.sql"), "-- fragment: now\n1\n");
            Files.write(folder.resolve("leases.sql"), spoilt(good).getBytes(StandardCharsets.UTF_8));
            try {
                Statements.load(DialectFolder.at(folder), "dibs_");
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).as("seed %d", seed).isNotBlank();
            }
        }
    }

    /** A few pieces are cut out, doubled, or put in between. */
    private String spoilt(String good) {
        StringBuilder text = new StringBuilder(good);
        for (int i = texts.below(4) + 1; i > 0; i--) {
            int from = texts.below(text.length());
            int to = Math.min(text.length(), from + texts.below(100));
            switch (texts.below(3)) {
                case 0 -> text.delete(from, to);
                case 1 -> text.insert(from, text.substring(from, to));
                default -> text.insert(from, texts.next());
            }
            if (text.length() == 0) {
                text.append(' ');
            }
        }
        return text.toString();
    }
}
