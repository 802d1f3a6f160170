package dev.dibs.internal.claims.store;

import dev.dibs.internal.sql.run.Call;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A claim of a range: first of rows that have left theirs, if it is time to look for them; then of the next range. A range that was taken
 * over may have no rows left, since they were deleted: it is dropped, and the next one is claimed.
 *
 * @param <T> what a row is mapped to
 */
final class RangeReading<T> {

    private static final int TRIES = 10;

    private final RangeClaims<T> store;
    private final String token;
    private final int n;
    private ClaimStore.@Nullable Asked<ClaimedRow<T>> scattered;
    private @Nullable Call<ClaimedRow<T>> claiming;
    private @Nullable Call<Boolean> dropping;
    private int tries;

    RangeReading(RangeClaims<T> store, String token, int n) {
        this.store = store;
        this.token = token;
        this.n = n;
    }

    List<Call<?>> first() {
        if (store.isTimeForScattered()) {
            scattered = store.scattered(token, n);
            return scattered.calls();
        }
        return claim();
    }

    private List<Call<?>> claim() {
        Call<ClaimedRow<T>> call = store.claiming(token, n);
        claiming = call;
        return List.of(call);
    }

    List<Call<?>> next() {
        if (claiming == null && scattered != null) {
            List<Call<?>> later = scattered.later().get();
            if (!later.isEmpty() || !scattered.rows().isEmpty()) {
                return later;
            }
            return claim();
        }
        if (!rows().isEmpty()) {
            return List.of();
        }
        return dropEmpty();
    }

    private List<Call<?>> dropEmpty() {
        Call<Boolean> dropped = dropping;
        if (dropped == null) {
            dropping = store.dropping(token);
            return List.of(dropping);
        }
        if (dropped.rows().isEmpty() || tries++ == TRIES) {
            return List.of();
        }
        dropping = null;
        return claim();
    }

    List<ClaimedRow<T>> rows() {
        if (claiming != null) {
            return claiming.rows();
        }
        return scattered == null ? List.of() : scattered.rows();
    }
}
