package dev.dibs.mutants;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All errors that are put into a statement file: a condition of a promise is always true; a fence does not grow; a locked row is waited for
 * instead of skipped. A condition that stands twice, as in a locking subquery and outside of it, is dropped in either place, and in both.
 */
final class Mutations {

    private static final Pattern HEAD = Pattern.compile("(?m)^-- (?:name|fragment): (\\S+)$");
    private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*--(?! (?:then|else)$).*$");
    private static final Pattern CONDITION = Pattern.compile("\\b(?:WHERE|AND)\\b\\s*");
    /** The end of a condition, unless it is in brackets that began within it. A fragment right behind a value is a clause. */
    private static final Pattern END = Pattern.compile(
            "\\b(?:AND|OR|FOR|LIMIT|ORDER|FETCH|RETURNING|ON|GROUP|UNION|THEN|ELSE|END|WHERE)\\b|[();]|\\n\\s*--"
                    + "|(?<=[a-z0-9_})]|NULL)\\s+\\{|\\z");

    /** Conditions about owners and times; a condition on a key alone breaks everything at once and proves nothing. */
    private static final Pattern MATTERS =
            Pattern.compile("owner|token|until|ends_at|ended|fence|\\bnow|due|attempt|tries|state|expired|live|open");

    private static final Pattern ALIAS = Pattern.compile("\\b[a-z]\\.");
    private static final String ALWAYS = "1 = 1";
    private static final Pattern FENCE = Pattern.compile("fence \\+ 1\\b");
    private static final Pattern SKIP = Pattern.compile("\\s+SKIP LOCKED\\b");

    private final String file;
    private final String text;
    private final List<Mutant> mutants = new ArrayList<>();

    private Mutations(String file, String text) {
        this.file = file;
        this.text = text;
    }

    static List<Mutant> of(String file, String text) {
        Mutations mutations = new Mutations(file, text);
        List<MatchResult> heads = HEAD.matcher(text).results().toList();
        for (int i = 0; i < heads.size(); i++) {
            String statement = heads.get(i).group(1);
            if (!statement.startsWith("create_") && !statement.equals("find_columns")) {
                int end = i + 1 < heads.size() ? heads.get(i + 1).start() : text.length();
                mutations.statement(statement, heads.get(i).end(), end);
            }
        }
        return mutations.mutants;
    }

    private void statement(String name, int start, int end) {
        String body = COMMENT.matcher(text.substring(start, end))
                .replaceAll(comment -> " ".repeat(comment.group().length()));
        conditions(name, body, start);
        FENCE.matcher(body)
                .results()
                .forEach(hit -> add(
                        name,
                        "fence does not grow",
                        replaced(List.of(new Place(start + hit.start(), hit.group())), "fence"),
                        ""));
        SKIP.matcher(body)
                .results()
                .forEach(hit -> add(
                        name,
                        "without SKIP LOCKED",
                        replaced(List.of(new Place(start + hit.start(), hit.group())), ""),
                        ""));
    }

    private void conditions(String name, String body, int start) {
        Map<String, List<Place>> said = new LinkedHashMap<>();
        Matcher condition = CONDITION.matcher(body);
        while (condition.find()) {
            int to = endOfCondition(body, condition.end());
            String dropped = body.substring(condition.end(), to).strip();
            if (MATTERS.matcher(dropped).find()) {
                said.computeIfAbsent(ALIAS.matcher(dropped).replaceAll(""), x -> new ArrayList<>())
                        .add(new Place(start + condition.end(), dropped));
            }
        }
        said.forEach((what, places) -> {
            String together = places.size() > 1 ? "without " + shown(what) + " anywhere" : "";
            places.forEach(place ->
                    add(name, "without " + shown(place.dropped()), replaced(List.of(place), ALWAYS), together));
            if (places.size() > 1) {
                add(name, together, replaced(places, ALWAYS), "");
            }
        });
    }

    /** The place and the text of a condition. */
    private record Place(int at, String dropped) {}

    private String replaced(List<Place> places, String replacement) {
        StringBuilder wrong = new StringBuilder(text);
        for (int i = places.size() - 1; i >= 0; i--) {
            Place place = places.get(i);
            wrong.replace(place.at(), place.at() + place.dropped().length(), replacement);
        }
        return wrong.toString();
    }

    private static int endOfCondition(String body, int start) {
        Matcher end = END.matcher(body);
        int depth = 0;
        int from = start;
        while (end.find(from)) {
            String found = end.group();
            if (found.equals("(")) {
                depth++;
            } else if (found.equals(")") && depth > 0) {
                depth--;
            } else if (depth == 0 || found.isEmpty()) {
                return end.start();
            }
            from = end.end();
        }
        return body.length();
    }

    private void add(String statement, String change, String wrong, String together) {
        long before = mutants.stream()
                .filter(mutant -> mutant.statement().equals(statement)
                        && mutant.change().replaceAll(" #\\d+$", "").equals(change))
                .count();
        mutants.add(new Mutant(file, statement, before == 0 ? change : change + " #" + (before + 1), wrong, together));
    }

    private static String shown(String sql) {
        String line = sql.replaceAll("\\s+", " ");
        return "`" + (line.length() > 70 ? line.substring(0, 67) + ".." : line) + "`";
    }
}
