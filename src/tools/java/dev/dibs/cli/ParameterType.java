package dev.dibs.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a parameter of a statement is: the same wherever it has the name.
 *
 * @param type how it is bound
 * @param unit what is counted; empty where nothing is
 */
record ParameterType(String type, String unit) {

    private static final String TEXT = "text";
    private static final String NUMBER = "bigint";
    private static final String MILLISECONDS = "milliseconds";

    private static final Map<String, ParameterType> BY_NAME = byName();

    private static Map<String, ParameterType> byName() {
        Map<String, ParameterType> all = new LinkedHashMap<>();
        put(all, TEXT, "", "attempt", "by", "error", "error_before", "error_class", "holder", "id", "in_hand", "kind");
        put(
                all, TEXT, "", "label", "message", "moved", "name", "owner", "payload", "purpose", "reason", "row_key",
                "run");
        put(
                all,
                TEXT,
                "",
                "stack",
                "state",
                "subject",
                "table",
                "token",
                "until",
                "word",
                "worker",
                "worker_before",
                "writer");
        put(all, "text[]", "", "attempt_ids", "names", "owners", "purposes");
        put(all, "bytes", "SHA-256 or HMAC-SHA-256, 32 of them", "digest");
        put(all, "bytes[]", "as digest", "digests");
        put(all, "json", "[{\"name\":..,\"owner\":..},..]", "pairs");
        put(all, "json", "[{\"purpose\":..,\"digest\":.. in hexadecimal,\"owner\":..,\"attempt\":..},..]", "tokens");
        put(all, "json", "[{\"dibs_key1\":..},..], a member for each column of the key", "keys");
        put(all, "array", "the values of the key's first column, second and so on", "key1", "key2", "key3", "key4");
        put(all, "text[]", "for each of the keys the token of whom it is asked for", "askers");
        put(all, NUMBER, MILLISECONDS, "delay", "every", "hold", "lease", "retention", "ttl", "window");
        put(all, NUMBER, "milliseconds since 1970", "due", "ended", "seen", "since");
        put(all, NUMBER, "microseconds since 1970", "from", "to");
        put(all, NUMBER, "fencing token", "known_fence");
        put(all, NUMBER, "fencing token of the ticket, or what mark_waiting has returned", "number");
        put(all, NUMBER, "", "batch", "done", "failed", "n", "permits");
        put(all, NUMBER, "", "attempts", "tries");
        put(all, NUMBER, "rows; 0 for no limit", "max_failures");
        put(all, NUMBER, "percent; 0 for no limit", "max_percent");
        put(all, NUMBER, "thousandths of a row in a second; 0 for no limit", "rate");
        put(all, NUMBER, "that of the column", "value");
        return all;
    }

    private static void put(Map<String, ParameterType> all, String type, String unit, String... names) {
        List.of(names).forEach(name -> all.put(name, new ParameterType(type, unit)));
    }

    /**
     * The type of a parameter.
     *
     * @throws IllegalStateException if it has none here
     */
    static ParameterType of(String name) {
        ParameterType type = BY_NAME.get(name);
        if (type == null) {
            throw new IllegalStateException("nothing is said of the parameter :" + name);
        }
        return type;
    }
}
