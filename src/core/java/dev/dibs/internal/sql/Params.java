package dev.dibs.internal.sql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values that a call offers to its statement by name; a statement uses those that it names. They are few, and each is looked up once:
 * a pass over an array costs less than a map.
 */
public final class Params {

    private static final int USUAL = 8;

    private String[] names = new String[USUAL];
    private @Nullable Object[] values = new Object[USUAL];
    private int size;

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
        put(name, value);
        return this;
    }

    /** The same with one more value. */
    public Params with(String name, long value) {
        put(name, value);
        return this;
    }

    /** The same with one more value. */
    public Params with(String name, byte[] value) {
        put(name, value.clone());
        return this;
    }

    /** A list of numbers, as an array. */
    public Params with(String name, List<Long> numbers) {
        put(name, numbers.toArray(Long[]::new));
        return this;
    }

    /**
     * A list of (name, owner) pairs: as the two arrays {@code :names} and {@code :owners}, and as the JSON text
     * {@code :pairs}, {@code [{"name":..,"owner":..},..]}, for databases without array parameters.
     */
    public Params withPairs(List<String> names, List<String> owners) {
        put("names", names.toArray(String[]::new));
        put("owners", owners.toArray(String[]::new));
        put("pairs", new JsonRows(List.of("name", "owner"), List.of(names, owners)));
        return this;
    }

    /**
     * A list of one-time tokens, each with the call that consumes it: as the arrays {@code :purposes}, {@code :digests}, {@code :owners}
     * and {@code :attempt_ids}, and as the JSON text {@code :tokens}, with the digests in hexadecimal.
     */
    public Params withTokens(List<String> purposes, List<byte[]> digests, List<String> owners, List<String> attempts) {
        put("purposes", purposes.toArray(String[]::new));
        put("digests", digests.toArray(byte[][]::new));
        put("owners", owners.toArray(String[]::new));
        put("attempt_ids", attempts.toArray(String[]::new));
        List<String> hex = digests.stream().map(HexFormat.of()::formatHex).toList();
        put(
                "tokens",
                new JsonRows(
                        List.of("purpose", "digest", "owner", "attempt"), List.of(purposes, hex, owners, attempts)));
        return this;
    }

    /**
     * A list of row keys, a list of texts for each column of the key: as the arrays {@code :key1}, {@code :key2} and so on,
     * and as the JSON text {@code :keys}, {@code [{"dibs_key1":..,"dibs_key2":..},..]}.
     */
    public Params withKeys(List<List<String>> columns) {
        for (int i = 1; i <= columns.size(); i++) {
            put("key" + i, columns.get(i - 1).toArray(String[]::new));
        }
        put("keys", new JsonRows(keyNames(columns), columns));
        return this;
    }

    private static List<String> keyNames(List<List<String>> columns) {
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= columns.size(); i++) {
            names.add("dibs_key" + i);
        }
        return names;
    }

    /** The same, each key with the token of its claim: also in the array {@code :askers}, and as {@code dibs_asker} in the JSON text. */
    public Params withKeys(List<List<String>> columns, List<String> askers) {
        withKeys(columns);
        List<String> names = keyNames(columns);
        names.add("dibs_asker");
        List<List<String>> all = new ArrayList<>(columns);
        all.add(askers);
        put("askers", askers.toArray(String[]::new));
        put("keys", new JsonRows(names, all));
        return this;
    }

    private void put(String name, @Nullable Object value) {
        int index = indexOf(name);
        if (index == size) {
            if (size == names.length) {
                names = Arrays.copyOf(names, 2 * size);
                values = Arrays.copyOf(values, 2 * size);
            }
            names[size++] = name;
        }
        values[index] = value;
    }

    /** The size if there is no such value. */
    private int indexOf(String name) {
        int index = 0;
        while (index < size && !names[index].equals(name)) {
            index++;
        }
        return index;
    }

    @Nullable
    Object get(String statement, String name) {
        int index = indexOf(name);
        if (index == size) {
            throw new IllegalArgumentException("statement '" + statement + "' uses :" + name + ", which its caller does"
                    + " not offer; it offers " + Arrays.asList(names).subList(0, size));
        }
        return values[index];
    }
}
