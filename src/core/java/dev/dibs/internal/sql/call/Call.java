package dev.dibs.internal.sql.call;

import dev.dibs.internal.sql.files.BoundSql;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.files.StepCondition;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One statement with its values, and its answer. It may be sent together with others.
 *
 * <p>Sent once, or again if the database refused it. For one thread.
 */
public final class Call<T> {

    /** Most answers have a row or two. */
    private static final int FEW = 4;

    private final NamedStatement<T> statement;
    private final List<BoundSql> steps;
    private final @Nullable Object[] values;
    private List<T> rows = Collections.emptyList();
    private @Nullable String label;
    private @Nullable CallLimit limit;
    private boolean inTransaction;
    private boolean collides;
    private boolean gaps;
    private boolean alwaysGapped;
    private long changed;

    /** With a value for each slot of the statement. */
    Call(Statements statements, NamedStatement<T> statement, @Nullable Object[] values) {
        this.statement = statement;
        this.steps = statements.steps(statement.name(), statement.slots());
        this.values = values;
    }

    /** A statement that is sent seldom: it is declared for this call. */
    public static <T> Call<T> of(Statements statements, String name, Params params, RowReader<T> reader) {
        return new Call<>(statements, NamedStatement.of(name, reader, params.names()), params.values());
    }

    /** A change. Its result rows only tell that a row was changed. */
    public static Call<Boolean> change(Statements statements, String name, Params params) {
        return of(statements, name, params, row -> true).labelled("dibs_nothing");
    }

    /** The text of its last step, for a person to read or run. */
    public String lastText() {
        return steps.get(steps.size() - 1).text().jdbc();
    }

    /**
     * Its results are those whose first column has this name. Without a label, it gets the results that no other call of the same text has.
     * In a text of several statements, nothing else shows to which call a result belongs.
     */
    public Call<T> labelled(String firstColumn) {
        label = firstColumn;
        return this;
    }

    /** Whether a step is to be sent, after the answers to those before it. */
    boolean shouldRun(StepCondition when) {
        return (!when.ifNoRow() || rows.isEmpty())
                && (when.unless().isEmpty()
                        || rows.stream().noneMatch(row -> statement.settles().test(row, values)));
    }

    /** It must be sent in a JDBC transaction, though it is one statement. */
    public Call<T> inTransaction(boolean needed) {
        inTransaction = needed;
        return this;
    }

    boolean isInTransaction() {
        return inTransaction;
    }

    /** Another caller may add the same row at the same instant: then the duplicate key is over when it is sent again. */
    public Call<T> colliding() {
        collides = true;
        return this;
    }

    boolean collides() {
        return collides;
    }

    /** The database itself is to end the statement at this limit. */
    public Call<T> within(CallLimit most) {
        limit = most;
        return this;
    }

    @Nullable
    CallLimit limit() {
        return limit;
    }

    /** The rows of all results of the answer. */
    public List<T> rows() {
        return rows;
    }

    /** The first row, if there is one. */
    public Optional<T> first() {
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
    }

    /** Whether it found a row: it returned one, or changed one. */
    public boolean hit() {
        return !rows.isEmpty() || changed > 0;
    }

    /** The last update count, 0 if there was none. */
    public long changed() {
        return changed;
    }

    String name() {
        return statement.name();
    }

    List<BoundSql> steps() {
        return steps;
    }

    /** Whether it may change rows. */
    boolean changes() {
        return steps.stream().anyMatch(BoundSql::changes);
    }

    /** The only text; null if it has several steps. */
    @Nullable
    BoundSql onlyStep() {
        return steps.size() == 1 ? steps.get(0) : null;
    }

    @Nullable
    Object value(int slot) {
        return values[slot];
    }

    boolean isLease(int slot) {
        return statement.isLease(slot);
    }

    /** The texts for people among its values. */
    List<Label> freeTexts() {
        return Stream.of(values)
                .filter(Label.class::isInstance)
                .map(Label.class::cast)
                .toList();
    }

    /** Before it is sent once more: the database has undone its effect. */
    void forget() {
        rows = Collections.emptyList();
        changed = 0;
        gaps = false;
    }

    /** The answer is taken for one with gaps. */
    public Call<T> gapped(boolean suspected) {
        alwaysGapped = suspected;
        return this;
    }

    /** Whether the answer has rows that its reader leaves out: see {@link RowReader}. */
    boolean hasGaps() {
        return gaps || alwaysGapped;
    }

    /** The value that the call gives to its statement under this name. */
    public @Nullable Object value(String name) {
        return values[statement.slots().indexOf(name)];
    }

    void counted(long count) {
        changed = count;
    }

    /** Whether a result is an answer to this call, if it is sent alone. */
    boolean mayRead(ResultSet result) throws SQLException {
        return label == null || isFor(result);
    }

    boolean isFor(ResultSet result) throws SQLException {
        return label != null
                && label.equals(result.getMetaData().getColumnLabel(1).toLowerCase(Locale.ROOT));
    }

    boolean isLabelled() {
        return label != null;
    }

    void read(ResultSet result) throws SQLException {
        while (result.next()) {
            T row = statement.reader().read(result);
            if (row == null) {
                gaps = true;
                continue;
            }
            if (rows.isEmpty()) {
                rows = new ArrayList<>(FEW);
            }
            rows.add(row);
        }
    }
}
