package dev.dibs.internal.sql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
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
     * A list of one-time tokens, each with the call that consumes it: as the arrays {@code :purposes}, {@code :digests}, {@code :owners}
     * and {@code :attempt_ids}, and as the JSON text {@code :tokens}, with the digests in hexadecimal.
     */
    public Params withTokens(List<String> purposes, List<byte[]> digests, List<String> owners, List<String> attempts) {
        values.put("purposes", purposes.toArray(String[]::new));
        values.put("digests", digests.toArray(byte[][]::new));
        values.put("owners", owners.toArray(String[]::new));
        values.put("attempt_ids", attempts.toArray(String[]::new));
        List<String> hex = digests.stream().map(HexFormat.of()::formatHex).toList();
        values.put(
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
            values.put("key" + i, columns.get(i - 1).toArray(String[]::new));
        }
        values.put("keys", new JsonRows(keyNames(columns), columns));
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
        values.put("askers", askers.toArray(String[]::new));
        values.put("keys", new JsonRows(names, all));
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
