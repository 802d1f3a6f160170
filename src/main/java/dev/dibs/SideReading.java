package dev.dibs;

import dev.dibs.sql.Call;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows that were claimed, and lets go of those that are no longer to be worked off: somebody has completed them while
 * they were chosen.
 *
 * @param <T> what a row is mapped to
 */
final class SideReading<T> {

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
    private boolean dropped;

    /**
     * For one token.
     *
     * @param fresh whether its claims were just made: only then it is certain that what is not to be worked off is nobody's work
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
            reading = store.rows(origins.keySet().stream().map(store::keyOf).toList(), origins);
            return List.of(reading);
        }
        List<RowKey> passed = passed(reading);
        if (!fresh || dropped || passed.isEmpty()) {
            return List.of();
        }
        dropped = true;
        return store.change(ClaimStore.Change.RELEASE, token, passed, 0).calls();
    }

    private List<RowKey> passed(Call<Row<T>> read) {
        var found = read.rows().stream().map(Row::key).collect(Collectors.toSet());
        return origins.keySet().stream()
                .filter(key -> !found.contains(key))
                .map(store::keyOf)
                .toList();
    }
}
