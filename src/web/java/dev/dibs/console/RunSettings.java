package dev.dibs.console;

import dev.dibs.DatabaseFailureException;
import dev.dibs.claims.RowClaims;
import dev.dibs.internal.values.RunLimits;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The settings of a run that a visitor has changed. A field that is as the page showed it is not written: another visitor may have changed
 * that setting since. All are checked before the first one is written.
 */
final class RunSettings {

    /** The form has what the page showed under the name of the field after this. */
    private static final String SHOWN = "shown-";

    private final PageRequest request;
    private final Map<String, Runnable> changes = new LinkedHashMap<>();

    private RunSettings(PageRequest request) {
        this.request = request;
    }

    /** Writes them, and returns what was done. */
    static String set(Run run, PageRequest request) {
        RunStatus now = run.status().orElseThrow(() -> new IllegalStateException("there is no such run"));
        RunSettings settings = new RunSettings(request);
        settings.read(
                "batch",
                Long.toString(now.batch()),
                value -> RunLimits.checkBatch(Integer.parseInt(value), RowClaims.LARGEST_CLAIM),
                run::setBatch);
        settings.read(
                "rate",
                Format.number(now.rowsPerSecondLimit()),
                value -> RunLimits.checkRate(Double.parseDouble(value)),
                run::setRate);
        settings.read(
                "maxFailures",
                Long.toString(now.maxFailures()),
                value -> RunLimits.checkNotNegative("maxFailures", Long.parseLong(value)),
                run::setMaxFailures);
        settings.read(
                "maxFailurePercent",
                Long.toString(now.maxFailurePercent()),
                value -> RunLimits.checkPercent(Integer.parseInt(value)),
                run::setMaxFailurePercent);
        return settings.write();
    }

    private <T> void read(String field, String now, Function<String, T> checked, Consumer<T> setting) {
        String value = request.field(field);
        String shown = request.form().containsKey(SHOWN + field) ? request.field(SHOWN + field) : now;
        if (value.isEmpty() || value.equals(shown)) {
            return;
        }
        T number;
        try {
            number = checked.apply(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(field + ": '" + value + "' is not a number in bounds", e);
        }
        changes.put(field + " is " + value, () -> setting.accept(number));
    }

    private String write() {
        List<String> done = new ArrayList<>();
        for (Map.Entry<String, Runnable> change : changes.entrySet()) {
            try {
                change.getValue().run();
            } catch (DatabaseFailureException e) {
                throw done.isEmpty()
                        ? e
                        : new DatabaseFailureException(
                                String.join(", ", done) + ", but then: " + e.getMessage(), e.getCause());
            }
            done.add(change.getKey());
        }
        return done.isEmpty() ? "Nothing was changed" : "Now " + String.join(", ", done);
    }
}
