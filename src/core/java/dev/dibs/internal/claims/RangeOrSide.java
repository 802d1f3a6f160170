package dev.dibs.internal.claims;

import dev.dibs.internal.sql.Call;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Something that is done to a range, and to single claims if the range has fallen apart.
 *
 * @param <R> what comes of it
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
     * @param answer what the first call says, or null if there is no range
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
