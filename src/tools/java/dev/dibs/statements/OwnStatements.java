package dev.dibs.statements;

import dev.dibs.internal.sql.files.StatementFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Statements that a tool sends itself, in a file beside its class: of one step, and the same for every database. */
public final class OwnStatements {

    private OwnStatements() {}

    /**
     * Reads a file beside a class, with statements of one step that are the same for every database.
     *
     * @param fragments the names in curly brackets in the file, and their replacements
     * @return the texts by their names, in the file's order
     */
    public static Map<String, String> read(Class<?> owner, String file, Map<String, String> fragments) {
        String text;
        try (InputStream in = Objects.requireNonNull(owner.getResourceAsStream(file), file)) {
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the jar is incomplete: " + file, e);
        }
        for (Map.Entry<String, String> fragment : fragments.entrySet()) {
            text = text.replace("{" + fragment.getKey() + "}", fragment.getValue());
        }
        Map<String, String> texts = new LinkedHashMap<>();
        StatementFile.parse(file, text)
                .statements
                .forEach((name, steps) -> texts.put(name, steps.get(0).text()));
        return texts;
    }
}
