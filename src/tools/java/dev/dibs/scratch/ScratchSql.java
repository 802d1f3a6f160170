package dev.dibs.scratch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of one SQL file by name, the same for every database. */
public final class ScratchSql {

    private static final Pattern STATEMENT = Pattern.compile("(?ms)^-- name: (\\w+)\\n((?:--[^\\n]*\\n)*.*?);$");

    private final Map<String, String> statements = new LinkedHashMap<>();

    /**
     * Reads a file.
     *
     * @param owner a class whose package has the file
     * @param placeholder the name in curly brackets in the file
     * @param value its replacement
     */
    public ScratchSql(Class<?> owner, String file, String placeholder, String value) {
        Matcher statement = STATEMENT.matcher(text(owner, file).replace("{" + placeholder + "}", value));
        while (statement.find()) {
            statements.put(statement.group(1), statement.group(2));
        }
    }

    private static String text(Class<?> owner, String file) {
        try (InputStream in = owner.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
        } catch (IOException e) {
            throw new UncheckedIOException("the jar is incomplete: " + file, e);
        }
    }

    /** The statement of that name. */
    public String text(String name) {
        String text = statements.get(name);
        if (text == null) {
            throw new IllegalArgumentException("no statement '" + name + "'");
        }
        return text;
    }

    /** The statements whose names begin with this, in the file's order. */
    public List<String> all(String prefix) {
        return statements.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix))
                .map(Map.Entry::getValue)
                .toList();
    }
}
