package dev.dibs.internal.schema;

import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlErrors;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs the checks of a doctor one after the other. A check that fails becomes a finding of its own, and the next one runs. */
public final class Checks {

    /** How many checks in a row wait for a connection in vain before the others are not tried. */
    private static final int PATIENCE = 2;

    @FunctionalInterface
    public interface Check<T> {
        T run() throws SqlFailure, SQLException;
    }

    private final SqlErrors errors;
    private final List<Finding> findings = new ArrayList<>();
    private int inVain;
    private @Nullable Finding unreachable;

    /** With the remedies of this database. */
    public Checks(SqlErrors errors) {
        this.errors = errors;
    }

    /** Nothing is wrong. */
    public static Finding ok(String subject, String message) {
        return new Finding(Level.OK, subject, message, "");
    }

    public static Finding note(String subject, String message, String remedy) {
        return new Finding(Level.NOTE, subject, message, remedy);
    }

    public static Finding warning(String subject, String message, String remedy) {
        return new Finding(Level.WARNING, subject, message, remedy);
    }

    /** What was found so far. */
    public List<Finding> findings() {
        return List.copyOf(findings);
    }

    public void addAll(String subject, Check<List<Finding>> check) {
        ask(subject, check).ifPresent(findings::addAll);
    }

    /** Adds the finding of a check. Returns false if it is an error; a check that failed tells of none. */
    public boolean add(String subject, Check<Finding> check) {
        Optional<Finding> finding = ask(subject, check);
        finding.ifPresent(findings::add);
        return finding.filter(found -> found.level() == Level.ERROR).isEmpty();
    }

    /** Returns what a check needs to know; empty if the question failed, which is then a finding. */
    public <T> Optional<T> ask(String subject, Check<T> question) {
        if (unreachable != null) {
            findings.add(new Finding(unreachable.level(), subject, unreachable.message(), unreachable.remedy()));
            return Optional.empty();
        }
        try {
            T answer = question.run();
            inVain = 0;
            return Optional.of(answer);
        } catch (SqlFailure e) {
            fail(subject, e.getCause(), e.isNotSent());
        } catch (SQLException | RuntimeException | LinkageError e) {
            // A driver that is too old, or not whole, lacks a class or a method.
            fail(subject, e, false);
        }
        return Optional.empty();
    }

    private void fail(String subject, Throwable error, boolean withoutConnection) {
        String remedy = errors.remedy(error);
        Finding failed = warning(
                subject,
                "could not be checked: " + Secrets.maskedToTheRoot(error),
                remedy == null ? "Mend what the error names, and ask again" : remedy);
        findings.add(failed);
        inVain = withoutConnection ? inVain + 1 : 0;
        if (inVain == PATIENCE) {
            unreachable = failed;
        }
    }
}
