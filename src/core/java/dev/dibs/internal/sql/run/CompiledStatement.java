package dev.dibs.internal.sql.run;

import dev.dibs.internal.sql.files.SqlText;
import dev.dibs.internal.sql.files.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
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
    private final List<Step> steps;
    private final int leaseSlot;

    /**
     * One text.
     *
     * @param slots the slot of each {@code ?}, in order
     * @param needsTransaction whether its rows can arrive before a commit that can still fail
     */
    record Step(SqlText text, int[] slots, boolean needsTransaction) {}

    CompiledStatement(Statements statements, NamedStatement<T> declared) {
        this.declared = declared;
        this.leaseSlot = declared.slots().indexOf(LEASE);
        boolean early = statements.features().answersBeforeCommit();
        List<Step> compiled = new ArrayList<>();
        for (SqlText text : statements.steps(declared.name())) {
            compiled.add(new Step(text, slots(text), early && text.returnsChanges()));
        }
        this.steps = List.copyOf(compiled);
    }

    private int[] slots(SqlText text) {
        int[] slots = new int[text.parameters().size()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = declared.slots().indexOf(text.parameters().get(i));
            if (slots[i] < 0) {
                throw new IllegalArgumentException("statement '" + declared.name() + "' uses :"
                        + text.parameters().get(i) + ", which its caller does not offer; it offers "
                        + declared.slots());
            }
        }
        return slots;
    }

    /** A call with a value for each slot, ready to be sent. */
    public Call<T> call(@Nullable Object... values) {
        return new Call<>(this, values);
    }

    String name() {
        return declared.name();
    }

    List<Step> steps() {
        return steps;
    }

    /** The only text; null if it has several steps. */
    @Nullable
    Step onlyStep() {
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
