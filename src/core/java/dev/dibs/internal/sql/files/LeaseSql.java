package dev.dibs.internal.sql.files;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One kind of lease in the statement files: the texts that are written once for all kinds, for this kind.
 *
 * <p>The kind {@code x} exists if there is a fragment {@code x_leases}, its table.
 */
final class LeaseSql {

    private static final String TABLE = "leases";
    private static final String LOCK = "lock";

    /** The release of one lease, in its two forms, and that of many. */
    private static final String RELEASE = "release_lease";

    private static final String LEAVE = "leave_lease";
    private static final String RELEASE_MANY = "release_leases";

    /** Only locks have this release. */
    private static final String RELEASE_UNGUARDED = "release_unguarded_lease";

    /** The statements of batches. */
    private static final Set<String> TOGETHER = Set.of("acquire_each_lease", "release_each_lease");

    private static final String RENEW_ALL = "renew_all_leases";

    private final String kind;
    private final Map<String, String> all;
    private final boolean together;
    private final boolean renewsAllAtOnce;

    private LeaseSql(String kind, Map<String, String> all, Features features) {
        this.kind = kind;
        this.all = all;
        together = kind.equals(LOCK) && features.locksTogether() != Features.Together.ONE_BY_ONE;
        renewsAllAtOnce = features.renewsAllAtOnce();
    }

    /** The kinds that these fragments name. */
    static List<LeaseSql> all(Map<String, String> fragments, Features features) {
        String end = "_" + TABLE;
        return fragments.keySet().stream()
                .filter(name -> name.endsWith(end))
                .map(name -> new LeaseSql(name.substring(0, name.length() - end.length()), fragments, features))
                .toList();
    }

    /**
     * The fragments, with the kind's own {@code x_row} in place of {@code row}. {@code leases_text} is the table's name within a
     * literal.
     */
    Map<String, String> fragments() {
        Map<String, String> own = new LinkedHashMap<>(all);
        String ours = kind + "_";
        for (String name : all.keySet()) {
            if (name.startsWith(ours)) {
                own.put(name.substring(ours.length()), all.get(name));
            }
        }
        own.put(TABLE + "_text", own.getOrDefault(TABLE, "").replace("{prefix}", "{prefix_text}"));
        return own;
    }

    /** A text about leases, for this kind. */
    String named(String text) {
        return Statements.nameFor(kind, text);
    }

    /**
     * The statements under this kind's names: {@code renew_locks} is made of {@code renew_leases}. If there is a fragment {@code x_leaves},
     * a release deletes the row, and is made of {@code leave_lease}. If the dialect has batches, there are statements that acquire or
     * release many, each by itself.
     */
    <T> Map<String, T> named(Map<String, T> templates) {
        Map<String, T> own = new LinkedHashMap<>(templates);
        T leave = own.remove(LEAVE);
        if (leave != null && all.containsKey(kind + "_leaves")) {
            own.put(RELEASE, leave);
            own.remove(RELEASE_MANY);
        }
        if (!kind.equals(LOCK)) {
            own.remove(RELEASE_UNGUARDED);
        }
        if (!together) {
            own.keySet().removeAll(TOGETHER);
        }
        if (!renewsAllAtOnce) {
            own.remove(RENEW_ALL);
        }
        Map<String, T> named = new LinkedHashMap<>();
        for (String name : own.keySet()) {
            named.put(Statements.nameFor(kind, name), own.get(name));
        }
        return named;
    }
}
