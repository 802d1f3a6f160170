package dev.dibs.internal.sql.files;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The texts of statements with slots for their values. The first call of a statement resolves them: all calls offer the same names. */
final class SlottedTexts {

    private final Map<String, Resolved> statements = new ConcurrentHashMap<>();

    private record Resolved(List<String> names, List<SlottedText> texts) {}

    List<SlottedText> of(String statement, List<SqlText> texts, List<String> names, Features features) {
        Resolved known = statements.get(statement);
        if (known == null || !known.names().equals(names)) {
            known = new Resolved(
                    List.copyOf(names),
                    texts.stream()
                            .map(text -> new SlottedText(statement, text, names, features))
                            .toList());
            statements.put(statement, known);
        }
        return known.texts();
    }
}
