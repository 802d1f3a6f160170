package dev.dibs.internal.sql.files;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One statement file.
 *
 * <p>A line {@code -- name: x} begins a statement and {@code -- fragment: x} begins a fragment; it ends where the next one begins. The
 * comment lines right below the header are its contract. They are not sent, and those below the text are not either. A line {@code --
 * then} divides a statement into steps that run one after the other. {@code -- else} begins a step that runs only if no row has come back so far. Either may end with {@code unless
 * held}, {@code unless ours} or {@code unless refused}: see {@link StepCondition}. A line {@code -- key: x} means that a step, such as an
 * UPDATE, returns the column x of the changed row by {@link java.sql.Statement#getGeneratedKeys}. A trailing semicolon is dropped; other
 * semicolons stay, for databases that accept batches.
 *
 * <p>A line {@code -- capability: x}, or {@code -- capability: x needs y}, names the capability of the statements that follow, up to the
 * next such line. Only comments stand between it and the first of them.
 */
public final class StatementFile {

    private static final Pattern HEADER = Pattern.compile("-- (name|fragment): ([a-z][a-z0-9_]*)");
    private static final Pattern CAPABILITY =
            Pattern.compile("-- capability: ([a-z][a-z_]*)(?: needs ([a-z][a-z_]*))?");
    private static final Pattern LOOKS_LIKE_HEADER = Pattern.compile("--\\s*(name|fragment|capability)\\s*:.*");
    private static final Pattern KEY = Pattern.compile("-- key: ([a-z][a-z0-9_]*)");
    private static final Pattern LOOKS_LIKE_STEP = Pattern.compile("--\\s*(then|else)\\s*(unless\\b.*)?");

    /**
     * A statement's step.
     *
     * @param when the condition under which it is sent
     * @param key the column of the changed row that comes back as a generated key; null if the statement itself returns rows
     */
    public record Step(
            String text, StepCondition when, @Nullable String key) {}

    /** The steps of each statement, in the file's order. */
    public final Map<String, List<Step>> statements = new LinkedHashMap<>();

    final Map<String, String> fragments = new LinkedHashMap<>();

    /** The contract of each statement: its comment lines, without the dashes; empty if it has none. */
    final Map<String, String> contracts = new LinkedHashMap<>();

    final Map<String, String> capabilities = new LinkedHashMap<>();

    /** The other capability that a capability needs. */
    final Map<String, String> needs = new LinkedHashMap<>();

    private final String origin;

    private @Nullable String capability;

    private StatementFile(String origin) {
        this.origin = origin;
    }

    /**
     * Reads one file.
     *
     * @param origin the name of the file in an error
     * @param text its whole text
     * @throws IllegalArgumentException if the text is not in this format; the message names the line
     */
    public static StatementFile parse(String origin, String text) {
        StatementFile file = new StatementFile(origin);
        List<String> lines = text.lines().toList();
        int next = 0;
        while (next < lines.size()) {
            Matcher header = HEADER.matcher(lines.get(next));
            Matcher capability = CAPABILITY.matcher(lines.get(next));
            int end = next + 1;
            if (capability.matches()) {
                file.open(capability.group(1), capability.group(2));
            } else if (header.matches()) {
                end = endOf(lines, next + 1);
                file.add(header.group(1), header.group(2), lines.subList(next + 1, end), next + 1);
            } else {
                file.requireOutside(lines.get(next), next);
            }
            next = end;
        }
        return file;
    }

    private void open(String name, @Nullable String needed) {
        capability = name;
        if (needed != null) {
            needs.put(name, needed);
        }
    }

    private static int endOf(List<String> lines, int from) {
        int end = from;
        while (end < lines.size() && !looksLikeHeader(lines.get(end))) {
            end++;
        }
        return end;
    }

    private static boolean looksLikeHeader(String line) {
        return line.startsWith("--") && LOOKS_LIKE_HEADER.matcher(line).matches();
    }

    /** Between a capability and its first header only comments may stand, as at the top: SQL without a name could never be called. */
    private void requireOutside(String line, int index) {
        boolean comment = line.isBlank() || line.startsWith("--");
        if (!comment || looksLikeHeader(line)) {
            throw new IllegalArgumentException(
                    origin + ", line " + (index + 1) + ": expected '-- name: some_statement', found: " + line);
        }
    }

    private void add(String kind, String name, List<String> body, int line) {
        requireMarkers(kind, body, line);
        int start = 0;
        while (start < body.size() && body.get(start).startsWith("--") && !isMarker(body.get(start))) {
            start++;
        }
        int end = body.size();
        while (end > start && isNoText(body.get(end - 1))) {
            end--;
        }
        List<Step> steps = steps(body.subList(start, end));
        for (Step step : steps) {
            if (step.text().isEmpty()) {
                throw new IllegalArgumentException(origin + ", line " + line + ": '" + name + "' has an empty text");
            }
        }
        boolean twice = kind.equals("name")
                ? statements.put(name, steps) != null
                : fragments.put(name, steps.get(0).text()) != null;
        if (kind.equals("name")) {
            contracts.put(name, contract(body.subList(0, start)));
            if (capability != null) {
                capabilities.put(name, capability);
            }
        }
        if (twice) {
            throw new IllegalArgumentException(origin + ", line " + line + ": '" + name + "' appears twice");
        }
    }

    /** A misspelt marker would be sent as a comment; a fragment has no markers. */
    private void requireMarkers(String kind, List<String> body, int line) {
        for (int i = 0; i < body.size(); i++) {
            String text = body.get(i);
            boolean known = isMarker(text);
            if (known ? kind.equals("fragment") : LOOKS_LIKE_STEP.matcher(text).matches()) {
                throw new IllegalArgumentException(origin + ", line " + (line + i + 1) + ": '" + text
                        + "' has no meaning here; a statement is divided by '-- then' or '-- else', each alone or with"
                        + " 'unless held', 'unless ours' or 'unless refused'");
            }
        }
    }

    private static String contract(List<String> comments) {
        return comments.stream().map(line -> line.substring(2).strip()).collect(Collectors.joining("\n"));
    }

    private static boolean isNoText(String line) {
        return line.isBlank() || (line.startsWith("--") && !isMarker(line));
    }

    private static boolean isMarker(String line) {
        return StepCondition.parse(line).isPresent() || KEY.matcher(line).matches();
    }

    private static List<Step> steps(List<String> body) {
        List<Step> steps = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        StepCondition when = StepCondition.ALWAYS;
        String key = null;
        for (String line : body) {
            Matcher returned = KEY.matcher(line);
            Optional<StepCondition> next = StepCondition.parse(line);
            if (next.isPresent()) {
                steps.add(new Step(trimmed(text), when, key));
                text.setLength(0);
                when = next.get();
                key = null;
            } else if (returned.matches()) {
                key = returned.group(1);
            } else {
                text.append(line).append('\n');
            }
        }
        steps.add(new Step(trimmed(text), when, key));
        return List.copyOf(steps);
    }

    private static String trimmed(StringBuilder step) {
        String text = step.toString().strip();
        return text.endsWith(";") ? text.substring(0, text.length() - 1).stripTrailing() : text;
    }
}
