package dev.dibs.internal.sql.run;

import dev.dibs.internal.values.Texts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The values that a call offers to its statement by name; a statement uses those that it names. */
public final class Params {

    private final Map<String, @Nullable Object> values = new HashMap<>();

    private Params() {}

    /** No values. */
    public static Params none() {
        return new Params();
    }

    /** One value. */
    public static Params of(String name, String value) {
        return none().with(name, value);
    }

    /** The same with one more value. */
    public Params with(String name, @Nullable String value) {
        values.put(name, value);
        return this;
    }

    /**
     * The same with a text for people, which names nothing: one that the database cannot store is sent again in ASCII.
     *
     * @param length of its column; the text is cut to it
     */
    public Params withProse(String name, @Nullable String text, int length) {
        String cut = Texts.cut(text, length);
        values.put(name, cut == null ? null : new Prose(cut, length));
        return this;
    }

    /** The label of a holder. */
    public Params withHolder(String label) {
        return withProse("holder", label, Prose.LABEL);
    }

    /** Whether there is a text for people that is not in ASCII. */
    boolean hasForeignProse() {
        return values.values().stream().anyMatch(value -> value instanceof Prose prose && !prose.isAscii());
    }

    /** Puts texts for people in ASCII; returns those that were not. */
    List<Prose> escape(Predicate<Prose> which) {
        List<Prose> escaped = new ArrayList<>();
        values.replaceAll((name, value) -> {
            if (value instanceof Prose prose && !prose.isAscii() && which.test(prose)) {
                escaped.add(prose);
                return prose.inAscii();
            }
            return value;
        });
        return escaped;
    }

    /** The same with one more value. */
    public Params with(String name, long value) {
        values.put(name, value);
        return this;
    }

    /** The same with one more value. */
    public Params with(String name, byte[] value) {
        values.put(name, value.clone());
        return this;
    }

    /** A list of numbers, as an array. */
    public Params with(String name, List<Long> numbers) {
        values.put(name, numbers.toArray(Long[]::new));
        return this;
    }

    /**
     * A list of (name, owner) pairs: as the two arrays {@code :names} and {@code :owners}, and as the JSON text
     * {@code :pairs}, {@code [{"name":..,"owner":..},..]}, for databases without array parameters.
     */
    public Params withPairs(List<String> names, List<String> owners) {
        values.put("names", names.toArray(String[]::new));
        values.put("owners", owners.toArray(String[]::new));
        values.put("pairs", new JsonRows(List.of("name", "owner"), List.of(names, owners)));
        return this;
    }

    /**
     * A list of row keys, a list of texts for each column of the key: as the arrays {@code :key1}, {@code :key2} and so on,
     * and as the JSON text {@code :keys}, {@code [{"dibs_key1":..,"dibs_key2":..},..]}.
     */
    public Params withKeys(List<List<String>> columns) {
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= columns.size(); i++) {
            values.put("key" + i, columns.get(i - 1).toArray(String[]::new));
            names.add("dibs_key" + i);
        }
        values.put("keys", new JsonRows(names, columns));
        return this;
    }

    @Nullable
    Object get(String statement, String name) {
        if (!values.containsKey(name)) {
            throw new IllegalArgumentException("statement '" + statement + "' uses :" + name + ", which its caller does"
                    + " not offer; it offers " + values.keySet());
        }
        return values.get(name);
    }
}
