package dev.dibs.internal.schema;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Finding;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Products;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether the engine is the product that its driver reports. Some engines report the name of another one.
 *
 * @param reported product and version as the driver reports them; null if the user has named the dialect
 */
record ProductCheck(String dialect, @Nullable String reported) {

    /** The finding of {@code check_settings} whose message is the engine's own text. */
    private static final String VERSION = "version";

    /** Whether the dialect was found by the reported product. A user who names a dialect is warned, but not refused. */
    boolean mayRefuse() {
        return reported != null;
    }

    /** A warning if the engine is known to be another one; else nothing. */
    Optional<Finding> warning(List<Finding> settings) {
        return why(version(settings))
                .map(why -> Checks.warning("product", why, "Keep the tables of Dibs in " + known()));
    }

    /**
     * Refuses an engine that is known to be another one.
     *
     * @throws DatabaseFailureException with the reason and what to do
     */
    void requireKnown(List<Finding> settings) {
        requireKnown(version(settings));
    }

    private void requireKnown(String version) {
        why(version).filter(why -> mayRefuse()).ifPresent(why -> {
            throw refused(why, "The database says that it is '" + version + "'", null);
        });
    }

    /**
     * Refuses an engine that did not answer {@code check_settings}, unless it may be the product all the same. Every server of that
     * product answers, but a user may lack a right, or the connection may have died.
     *
     * @param version the engine's own text
     */
    void requireKnown(String version, SqlFailure unanswered) {
        requireKnown(version);
        if (unanswered.isMistake() && !unanswered.isRightMissing()) {
            throw refused(
                    "Another engine that reports '" + reported
                            + "': it refuses a question that each such server answers",
                    "The database says that it is '" + version + "', and to the question: "
                            + Secrets.maskedToTheRoot(unanswered.getCause()),
                    unanswered.getCause());
        }
    }

    private Optional<String> why(String version) {
        return Products.whyRefused(reported == null ? "" : reported, version);
    }

    private DatabaseFailureException refused(String why, String said, @Nullable Throwable cause) {
        String message = why + ". Keep the tables of Dibs in " + known()
                + ". To try this one all the same, name the dialect: Dibs.builder(..).dialect(Dialect.named(\""
                + dialect
                + "\")), with the command --dialect " + dialect + ". " + said;
        return new DatabaseFailureException(message, cause);
    }

    private static String known() {
        return "a database that has a dialect, such as one of " + Products.dialects();
    }

    private static String version(List<Finding> settings) {
        return settings.stream()
                .filter(finding -> finding.subject().equals(VERSION))
                .map(Finding::message)
                .findFirst()
                .orElse("");
    }
}
