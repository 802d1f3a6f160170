package dev.dibs.internal.sql.call;

import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A statement of the files by its name, with a slot for each value that a call gives it, and with how its rows are read. A class declares
 * its statements once, as constants.
 *
 * @param <T> what a row is read as
 * @param slots the names of the values, in the order in which a call passes them; the text uses those that it names
 * @param settles whether the steps with {@code unless} must not be sent after a row, given the values of the call
 */
public record NamedStatement<T>(
        String name, List<String> slots, RowReader<T> reader, BiPredicate<? super T, @Nullable Object[]> settles) {

    /** The parameter of all statements for the length of a lease. */
    private static final String LEASE = "lease";

    /** A statement whose rows matter. */
    public static <T> NamedStatement<T> of(String name, RowReader<T> reader, String... slots) {
        return of(name, reader, List.of(slots));
    }

    /** The same for the {@linkplain Params#names names} of values that are put together for a call. */
    public static <T> NamedStatement<T> of(String name, RowReader<T> reader, List<String> slots) {
        return new NamedStatement<>(name, slots, reader, (row, values) -> false);
    }

    /** A change. Its result rows only tell that a row was changed. */
    public static NamedStatement<Boolean> of(String name, String... slots) {
        return of(name, row -> true, slots);
    }

    /** The same, with a row after which the steps with {@code unless} must not be sent, given the values of the call. */
    public NamedStatement<T> stopsWhen(BiPredicate<? super T, @Nullable Object[]> row) {
        return new NamedStatement<>(name, slots, reader, row);
    }

    /** Whether a slot has the length of a lease, which is longer in the database by the tolerance. */
    boolean isLease(int slot) {
        return slots.get(slot).equals(LEASE);
    }
}
