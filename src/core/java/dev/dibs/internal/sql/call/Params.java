package dev.dibs.internal.sql.call;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values that a call offers to its statement by name; a statement uses those that it names. For statements that are sent seldom: see
 * {@link NamedStatement}.
 */
public final class Params {

    private static final int PAIRS = 3;
    private static final List<String> MEMBERS = List.of("name", "owner");

    private final List<String> names = new ArrayList<>();
    private final List<@Nullable Object> values = new ArrayList<>();

    private Params() {}

    public static Params none() {
        return new Params();
    }

    public static Params of(String name, String value) {
        return none().with(name, value);
    }

    /** A later value of the same name replaces the earlier one. */
    private Params put(String name, @Nullable Object value) {
        int known = names.indexOf(name);
        if (known < 0) {
            names.add(name);
            values.add(value);
        } else {
            values.set(known, value);
        }
        return this;
    }

    public Params with(String name, @Nullable String value) {
        return put(name, value);
    }

    /**
     * The same with a text for people, which names nothing: one that the database cannot store is sent again in ASCII.
     *
     * @param length of its column; the text is cut to it
     */
    public Params withFreeText(String name, @Nullable String text, int length) {
        return put(name, Label.of(text, length));
    }

    public Params with(String name, long value) {
        return put(name, value);
    }

    public Params with(String name, byte[] value) {
        return put(name, value.clone());
    }

    /** A list of binary values, as an array. */
    public Params with(String name, byte[][] values) {
        return put(name, values);
    }

    public Params with(String name, List<Long> numbers) {
        return put(name, numbers.toArray(Long[]::new));
    }

    /**
     * A list of (name, owner) pairs: as the two arrays {@code :names} and {@code :owners}, and as the JSON text
     * {@code :pairs}, {@code [{"name":..,"owner":..},..]}, for databases without array parameters.
     */
    public Params withPairs(List<String> names, List<String> owners) {
        @Nullable Object[] pairs = pairs(names, owners);
        return put("names", pairs[0]).put("owners", pairs[1]).put("pairs", pairs[2]);
    }

    /** The same as values of the slots names, owners and pairs, and then those of others. */
    public static @Nullable Object[] pairs(List<String> names, List<String> owners, @Nullable Object... others) {
        @Nullable Object[] values = new Object[PAIRS + others.length];
        values[0] = names.toArray(String[]::new);
        values[1] = owners.toArray(String[]::new);
        values[2] = new JsonRows(MEMBERS, List.of(names, owners));
        System.arraycopy(others, 0, values, PAIRS, others.length);
        return values;
    }

    /**
     * A list of row keys, a list of texts for each column of the key: as the arrays {@code :key1}, {@code :key2} and so on,
     * and as the JSON text {@code :keys}, {@code [{"dibs_key1":..,"dibs_key2":..},..]}.
     */
    public Params withKeys(List<List<String>> columns) {
        List<String> members = new ArrayList<>();
        for (int i = 1; i <= columns.size(); i++) {
            put("key" + i, columns.get(i - 1).toArray(String[]::new));
            members.add("dibs_key" + i);
        }
        return put("keys", new JsonRows(members, columns));
    }

    public List<String> names() {
        return names;
    }

    /** The values, each at the index of its name. */
    public @Nullable Object[] values() {
        return values.toArray();
    }
}
