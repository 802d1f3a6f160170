package dev.dibs.internal.sql.run;

import dev.dibs.internal.sql.files.SlottedText;
import dev.dibs.internal.sql.files.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@link NamedStatement} in one dialect: each {@code ?} of its texts knows the slot of its value, so that a call looks nothing up.
 *
 * <p>Immutable.
 *
 * @param <T> what a row is read as
 */
public final class CompiledStatement<T> {

    /** The parameter of all statements for the length of a lease. */
    private static final String LEASE = "lease";

    private final NamedStatement<T> declared;
    private final List<SlottedText> steps;
    private final int leaseSlot;

    CompiledStatement(Statements statements, NamedStatement<T> declared) {
        this.declared = declared;
        this.leaseSlot = declared.slots().indexOf(LEASE);
        this.steps = statements.steps(declared.name(), declared.slots());
    }

    /** A call with a value for each slot, ready to be sent. */
    public Call<T> call(@Nullable Object... values) {
        return new Call<>(this, values);
    }

    String name() {
        return declared.name();
    }

    List<SlottedText> steps() {
        return steps;
    }

    /** The only text; null if it has several steps. */
    @Nullable
    SlottedText onlyStep() {
        return steps.size() == 1 ? steps.get(0) : null;
    }

    /** Whether a slot has the length of a lease, which is longer in the database by the tolerance. */
    boolean isLease(int slot) {
        return slot == leaseSlot;
    }

    T read(ResultSet row) throws SQLException {
        return declared.reader().read(row);
    }

    /** Whether the steps with {@code unless} must not be sent after this row. */
    boolean stopsWhen(T row, @Nullable Object[] values) {
        return declared.stopsWhen(row, values);
    }
}
