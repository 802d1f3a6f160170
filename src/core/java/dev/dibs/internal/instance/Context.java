package dev.dibs.internal.instance;

import dev.dibs.internal.guarded.GuardedTransactions;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.schema.Schema;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.time.LocalClock;
import java.util.List;
import java.util.function.Supplier;

/**
 * The parts of an instance that a capability needs.
 *
 * @param database for calls on the user's threads
 * @param background makes another one for a thread of the capability
 * @param transactions with the work of the user's in them
 * @param holder the label for people
 * @param open throws once the instance is closed
 */
public record Context(
        Database database,
        Supplier<Database> background,
        GuardedTransactions transactions,
        Errors errors,
        Schema schema,
        Callbacks callbacks,
        LocalClock clock,
        String holder,
        Runnable open) {

    /** Call it before the database is asked. */
    public void requireOpen() {
        open.run();
    }

    /** Asks the database, and explains a failure. */
    public <T> T ask(Errors.Question<T> question) {
        open.run();
        return errors.explained(question);
    }

    /** Asks for a list by this statement; it is empty while the capability has no tables. */
    public <T> List<T> list(String statement, Errors.Question<List<T>> question) {
        open.run();
        return schema.isListable(statement) ? errors.explained(question) : List.of();
    }
}
