package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.run.Call;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows that were claimed, and releases those that are no longer to be processed: another claim has completed them while they were
 * being chosen.
 *
 * @param <T> what a row is mapped to
 */
final class SideReading<T> {

    private static final int TRIES = 3;

    /**
     * A row that was read.
     *
     * @param key its key as one text
     */
    record Row<T>(String key, ClaimedRow<T> row) {}

    private final SideClaims<T> store;
    private final String token;
    private final boolean fresh;
    private final Map<String, ClaimedRow.Origin> origins = new LinkedHashMap<>();
    private @Nullable Call<Row<T>> reading;
    private @Nullable Call<String> dropping;
    private final Set<String> passed = new LinkedHashSet<>();
    private int tries;

    /**
     * For one token.
     *
     * @param fresh whether its claims are new: only then is it certain that a row that is not to be processed has no work pending
     */
    SideReading(SideClaims<T> store, String token, boolean fresh) {
        this.store = store;
        this.token = token;
        this.fresh = fresh;
    }

    ClaimStore.Asked<ClaimedRow<T>> after(Call<SideMark> claiming) {
        Call<SideMark> labelled = claiming.labelled(SideMark.ROW);
        return new ClaimStore.Asked<>(List.of(labelled), this::rows, () -> next(labelled.rows()));
    }

    private List<ClaimedRow<T>> rows() {
        return reading == null
                ? List.of()
                : reading.rows().stream().map(Row::row).toList();
    }

    private List<Call<?>> next(List<SideMark> marks) {
        if (reading == null) {
            marks.stream()
                    .filter(mark -> mark.token().equals(token))
                    .forEach(mark -> origins.put(mark.row(), fresh ? mark.origin() : ClaimedRow.Origin.FREE));
            if (origins.isEmpty()) {
                return List.of();
            }
            reading = store.rows(keys(origins.keySet()), origins);
            return List.of(reading);
        }
        return fresh ? dropPassed(reading) : List.of();
    }

    /** A claim that is locked just now is tried again, and then left to expire. */
    private List<Call<?>> dropPassed(Call<Row<T>> read) {
        if (dropping == null) {
            passed.addAll(origins.keySet());
            read.rows().forEach(row -> passed.remove(row.key()));
        } else {
            dropping.rows().forEach(key -> passed.remove(key));
        }
        if (passed.isEmpty() || tries++ == TRIES) {
            return List.of();
        }
        dropping = store.drop(token, keys(passed));
        return List.of(dropping);
    }

    private List<RowKey> keys(Set<String> rows) {
        return rows.stream().map(store::keyOf).toList();
    }
}
