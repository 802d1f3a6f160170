package dev.dibs.internal.claims.store;

import dev.dibs.internal.sql.run.Call;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An operation on a range, or on single claims if the range was scattered.
 *
 * @param <R> the result
 */
final class RangeOrSide<R> {

    private final Call<?> first;
    private final Supplier<@Nullable List<R>> answer;
    private final Supplier<ClaimStore.Asked<R>> otherwise;
    private ClaimStore.@Nullable Asked<R> second;
    private boolean sent;

    /**
     * Both ways.
     *
     * @param answer the result of the first call, or null if there is no range
     */
    RangeOrSide(Call<?> first, Supplier<@Nullable List<R>> answer, Supplier<ClaimStore.Asked<R>> otherwise) {
        this.first = first;
        this.answer = answer;
        this.otherwise = otherwise;
    }

    ClaimStore.Asked<R> asked() {
        return new ClaimStore.Asked<>(List.of(first), this::rows, this::next);
    }

    private List<R> rows() {
        List<R> rows = answer.get();
        if (rows != null) {
            return rows;
        }
        return second == null ? List.of() : second.rows();
    }

    private List<Call<?>> next() {
        if (answer.get() != null) {
            return List.of();
        }
        if (second == null) {
            second = otherwise.get();
        }
        if (!sent) {
            sent = true;
            return second.calls();
        }
        return second.later().get();
    }
}
