package dev.dibs.internal.sql.run;

import dev.dibs.internal.sql.files.Statements;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A statement of the files by its name, with a slot for each value that a call gives it, and with how its rows are read. A class declares
 * its statements once, as constants; each dialect compiles them once.
 *
 * @param <T> what a row is read as
 */
public final class NamedStatement<T> {

    private final String name;
    private final List<String> slots;
    private final RowReader<T> reader;
    private final BiPredicate<? super T, @Nullable Object[]> settles;

    NamedStatement(
            String name, List<String> slots, RowReader<T> reader, BiPredicate<? super T, @Nullable Object[]> settles) {
        this.name = name;
        this.slots = slots;
        this.reader = reader;
        this.settles = settles;
    }

    /**
     * A statement whose rows matter.
     *
     * @param slots the names of the values, in the order in which a call passes them; the text uses those that it names
     */
    public static <T> NamedStatement<T> of(String name, RowReader<T> reader, String... slots) {
        return new NamedStatement<>(name, List.of(slots), reader, (row, values) -> false);
    }

    /** A change. Its result rows only tell that a row was changed. */
    public static NamedStatement<Boolean> of(String name, String... slots) {
        return of(name, row -> true, slots);
    }

    /** The same, with a row after which the steps with {@code unless} must not be sent. */
    public NamedStatement<T> stopsWhen(Predicate<? super T> row) {
        return stopsWhen((found, values) -> row.test(found));
    }

    /** The same, where that depends on the values of the call. */
    public NamedStatement<T> stopsWhen(BiPredicate<? super T, @Nullable Object[]> row) {
        return new NamedStatement<>(name, slots, reader, row);
    }

    /** Resolves it in a dialect, for many calls. */
    public CompiledStatement<T> in(Statements statements) {
        return new CompiledStatement<>(statements, this);
    }

    public String name() {
        return name;
    }

    List<String> slots() {
        return slots;
    }

    RowReader<T> reader() {
        return reader;
    }

    boolean stopsWhen(T row, @Nullable Object[] values) {
        return settles.test(row, values);
    }
}
