package dev.dibs.internal.claims.store;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.files.KeyKind;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.values.BinaryKey;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a table's rows that take turns: rows with the same values in some columns. NULL is a value like the others. A group is
 * named by the texts of its values. Immutable.
 */
public final class KeyGroups {

    private static final String ALIAS = "dibs_group";
    private static final String HEXADECIMAL = "0123456789abcdef";
    /** Every fourth start begins at the first group: a random value never does. */
    private static final int FIRST = 4;
    /** No group: a search begins with the first one. */
    static final List<@Nullable String> NONE = List.of();

    private final ClaimTable columns;
    final int most;
    private final boolean skipsDead;

    /**
     * For one table.
     *
     * @param columns the columns of a group, described as a key
     * @param most how many rows of a group may be in work
     * @param skipsDead whether a dead row does not count
     */
    public KeyGroups(ClaimTable columns, int most, boolean skipsDead) {
        this.columns = columns;
        this.most = most;
        this.skipsDead = skipsDead;
    }

    int size() {
        return columns.keyNames().size();
    }

    /**
     * Where the next claim begins. Each claim that moves it sets another object, so that a late claim cannot set it back.
     *
     * @param group the one before it
     * @param ends how often searches have come past the last group since one found a row: twice means that all were seen
     */
    record Place(List<@Nullable String> group, int ends) {}

    /** What a store says that the names in {@code per_key.sql} stand for, and what is the same for all stores. */
    Map<String, String> choices(Statements statements, Map<String, String> ofStore) {
        Map<String, String> choices = new HashMap<>(ofStore);
        if (!skipsDead) {
            choices.put("alive", "any_time");
        }
        if (statements.features().claimsPerKeyAtOnce()) {
            choices.putAll(walk(statements));
        }
        return choices;
    }

    /**
     * The texts of the statements.
     *
     * @param after the condition that a row comes after the group where a search begins
     */
    Map<String, String> texts(Statements statements, ClaimTable table, String after) {
        IntFunction<String> value = i -> columns.oneOf("group_value", statements, i);
        IntFunction<String> start = i -> value.apply(i).replace(":group", ":start");
        Map<String, String> texts = new HashMap<>(table.texts());
        texts.put("ties", table.ties());
        texts.put("same_key", table.sameKey());
        texts.put("then_order", without(table.texts().get("order") + table.ties()));
        texts.put("after", after);
        texts.put("t_groups", columns.each(", ", this::column));
        texts.put("t_groups_back", columns.each(", ", i -> column(i) + " DESC"));
        texts.put("group_aliases", columns.each(", ", i -> ALIAS + (i + 1)));
        texts.put("group_texts", columns.texts().getOrDefault("key_texts", "").replace("dibs_key", ALIAS));
        texts.put("walked_groups", columns.each(", ", i -> value.apply(i).replace(":group" + (i + 1), column(i))));
        texts.put(
                "end_texts",
                columns.each(
                        ", ",
                        i -> columns.written(statements, "e." + ALIAS + (i + 1), i)
                                .replace("dibs_key", ALIAS)));
        texts.put("group_values", columns.each(", ", value));
        texts.put("up_to_start", upTo(start));
        texts.put("known", column(0) + " IS NOT NULL");
        texts.put("most", String.valueOf(most));
        return texts;
    }

    private static String g(int i) {
        return "g." + ALIAS + (i + 1);
    }

    /** What the fragments of a walk in one statement stand for. NULL is the last group there. */
    private Map<String, String> walk(Statements statements) {
        List<String> next = new ArrayList<>();
        for (int level = size(); level > 0; level--) {
            for (boolean[] nulls : patterns(level)) {
                int end = level - 1;
                String behind = nulls[end]
                        ? column(end) + " IS NULL AND " + g(end) + " IS NOT NULL"
                        : column(end) + " > " + g(end);
                next.add(statements.fragment("group_after").replace("#", same(nulls, end) + behind));
            }
        }
        next.add("{group_first}");
        String rows = patterns(size()).stream()
                .map(nulls -> statements.fragment("group_rows").replace("#", same(nulls, size()) + "1 = 1"))
                .collect(Collectors.joining(" UNION ALL "));
        return Map.of("group_next", String.join(" UNION ALL ", next), "rows_of_group", rows);
    }

    /** Which of the first columns are NULL: each combination, of the columns that may be. */
    private List<boolean[]> patterns(int level) {
        List<boolean[]> patterns = new ArrayList<>(List.of(new boolean[level]));
        for (int i = 0; i < level; i++) {
            if (columns.keyColumns().get(i).mayBeNull()) {
                for (boolean[] pattern : List.copyOf(patterns)) {
                    boolean[] other = Arrays.copyOf(pattern, level);
                    other[i] = true;
                    patterns.add(other);
                }
            }
        }
        return patterns;
    }

    /** That the first columns are those of g, of which it is known whether they are NULL; with AND behind it. */
    private String same(boolean[] nulls, int level) {
        return IntStream.range(0, level)
                .mapToObj(i -> nulls[i]
                        ? column(i) + " IS NULL AND " + g(i) + " IS NULL AND "
                        : column(i) + " = " + g(i) + " AND ")
                .collect(Collectors.joining());
    }

    /** That the group g comes before another one or is the same. */
    private String upTo(IntFunction<String> other) {
        String condition = "1 = 1";
        for (int i = size() - 1; i >= 0; i--) {
            String one = g(i);
            String two = other.apply(i);
            condition = "(" + one + " < " + two + " OR " + one + " IS NOT NULL AND " + two + " IS NULL OR (" + one
                    + " = " + two + " OR " + one + " IS NULL AND " + two + " IS NULL) AND " + condition + ")";
        }
        return condition;
    }

    /**
     * The condition that t is in a later group that has the same first values, and a greater one at the level. NULL is the first group.
     *
     * @param level from 1
     */
    String after(Statements statements, List<@Nullable String> group, int level) {
        IntFunction<String> value = i -> columns.oneOf("group_value", statements, i);
        return IntStream.range(0, level)
                .mapToObj(i -> {
                    boolean isNull = group.get(i) == null;
                    String sign = i < level - 1 ? (isNull ? " IS NULL" : " = ") : (isNull ? " IS NOT NULL" : " > ");
                    return column(i) + sign + (isNull ? "" : value.apply(i));
                })
                .collect(Collectors.joining(" AND "));
    }

    /** The user's order without the columns of the group, which have one value within it; with a comma before it. */
    String without(String order) {
        return ClaimSql.terms(order).stream()
                .filter(term -> columns.keyNames().stream().noneMatch(column -> ClaimTable.isColumn(term, column)))
                .map(", "::concat)
                .collect(Collectors.joining());
    }

    private String column(int i) {
        return "t." + columns.keyNames().get(i);
    }

    Params with(Params params, String prefix, List<@Nullable String> group) {
        for (int i = 0; i < size(); i++) {
            String name = prefix + (i + 1);
            String value = group.isEmpty() ? null : group.get(i);
            KeyKind kind = columns.kinds().get(i);
            if (value != null && kind == KeyKind.BINARY) {
                params.with(name, BinaryKey.bytes(value));
            } else if (value != null && kind == KeyKind.WHOLE && value.length() < 19) {
                params.with(name, Long.parseLong(value));
            } else {
                params.with(name, value);
            }
        }
        return params;
    }

    /** The group of a row of an answer. */
    List<@Nullable String> read(ResultSet row) throws SQLException {
        List<@Nullable String> group = new ArrayList<>(size());
        for (int i = 0; i < size(); i++) {
            group.add(columns.textOrNull(row, row.findColumn(ALIAS + (i + 1)), i));
        }
        return Collections.unmodifiableList(group);
    }

    /** Reads a column of the table that cannot be one of a group, and its type. */
    boolean refuse(ResultSet row) throws SQLException {
        String column = row.getString(1);
        if (columns.keyColumns().stream().anyMatch(group -> group.name().equals(column))) {
            throw new DatabaseFailureException("the column " + column + " is of the type " + row.getString(2)
                    + ", whose values this database does not compare as it sorts them: it cannot be a column of"
                    + " perKey(..)");
        }
        return false;
    }

    /**
     * Where the first claim begins: anywhere between the first group and the last. Programs that run for a short time would else serve the
     * first groups only.
     */
    List<@Nullable String> between(List<List<@Nullable String>> ends) {
        if (ends.size() < 2 || ThreadLocalRandom.current().nextInt(FIRST) == 0) {
            return NONE;
        }
        List<@Nullable String> start = new ArrayList<>(Collections.nCopies(size(), null));
        for (int i = 0; i < size(); i++) {
            String first = ends.get(0).get(i);
            String end = ends.get(1).get(i);
            if (first == null || end == null) {
                break;
            }
            boolean isShared = first.equals(end);
            start.set(i, isShared ? first : between(columns.kinds().get(i), first, end));
            if (!isShared) {
                break;
            }
        }
        return start.get(0) == null ? NONE : Collections.unmodifiableList(start);
    }

    private static @Nullable String between(KeyKind kind, String first, String end) {
        return switch (kind) {
            case WHOLE, DECIMAL -> number(first, end);
            case UUID, BINARY -> digits(first, end);
            case TEXT, CHAR -> text(first, end);
            default -> null;
        };
    }

    /** PostgreSQL has NaN and infinity. */
    private static @Nullable String number(String first, String end) {
        if (!Character.isDigit(first.charAt(first.length() - 1)) || !Character.isDigit(end.charAt(end.length() - 1))) {
            return null;
        }
        BigDecimal low = new BigDecimal(first);
        BigDecimal high = new BigDecimal(end);
        double part = ThreadLocalRandom.current().nextDouble();
        return low.add(high.subtract(low).multiply(BigDecimal.valueOf(part)))
                .setScale(Math.max(low.scale(), high.scale()), RoundingMode.DOWN)
                .toPlainString();
    }

    /** With dashes where the first has them. */
    private static String digits(String first, String end) {
        StringBuilder text = new StringBuilder(first);
        for (int i = same(first, end); i < first.length(); i++) {
            if (first.charAt(i) != '-') {
                text.setCharAt(i, HEXADECIMAL.charAt(ThreadLocalRandom.current().nextInt(HEXADECIMAL.length())));
            }
        }
        return text.toString();
    }

    /**
     * What both begin with, a letter between theirs, and digits: as long as the longer one at most. Beyond ASCII, where the column's
     * character set may lack the letters between, it is the letter of one of them.
     */
    private static String text(String first, String end) {
        int same = same(first, end);
        int one = same < first.length() ? first.charAt(same) : ' ';
        int other = same < end.length() ? end.charAt(same) : ' ';
        ThreadLocalRandom random = ThreadLocalRandom.current();
        int low = Math.min(one, other);
        int high = Math.max(one, other);
        char letter =
                (char) (low >= ' ' && high <= '~' ? random.nextInt(low, high + 1) : random.nextBoolean() ? low : high);
        String text =
                first.substring(0, same) + (Character.isSurrogate(letter) ? '-' : letter) + random.nextInt(100, 1_000);
        return text.substring(0, Math.min(text.length(), Math.max(first.length(), end.length())));
    }

    /** How many characters both begin with; no half of one counts. */
    private static int same(String first, String end) {
        int same = 0;
        while (same < Math.min(first.length(), end.length()) && first.charAt(same) == end.charAt(same)) {
            same++;
        }
        return same > 0 && Character.isHighSurrogate(first.charAt(same - 1)) ? same - 1 : same;
    }
}
