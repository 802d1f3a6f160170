package dev.dibs.cli.admin;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.advice.IndexAdvice;
import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.database.Target;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** Examines the database. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Looks at connection, dialect, tables, rights, isolation, settings and clocks; with --claims also at a table of yours whose"
                    + " rows are claimed: its columns, its key and the index that claims need.",
            "",
            "Prints a line for each, with what to do about it. OK and NOTE are fine. WARNING: a lock could be given twice after"
                    + " some fault, something gets slower or is held up, or a check could not be made. ERROR: locks or"
                    + " claims do not work.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:nothing at WARNING or ERROR", "1:something is", "2:a mistake on the command line"})
public final class DoctorCommand extends DatabaseVerb {

    @Mixin
    private final ClaimOptions claims = new ClaimOptions();

    @Override
    public Integer call() {
        if (claims.orphaned()) {
            throw new ParameterException(spec().commandLine(), "name the table with --claims");
        }
        Target target = target();
        try (Session session = open(target)) {
            print(new Finding(Level.OK, "connection", target.toString(), ""));
            return run(session);
        } catch (UsageError | DatabaseFailureException e) {
            print(new Finding(Level.ERROR, "connection", String.valueOf(e.getMessage()), ""));
            return ExitCode.NO;
        }
    }

    @Override
    protected int run(Session session) {
        boolean healthy = printAll(session.ask(session.dibs().admin()::doctor));
        if (claims.given()) {
            healthy &= printAll(aboutClaims(session));
        }
        return healthy ? ExitCode.OK : ExitCode.NO;
    }

    private List<Finding> aboutClaims(Session session) {
        List<Finding> findings = new ArrayList<>();
        try {
            findings.addAll(
                    session.ask(() -> claims.claims(session.dibs()).build().doctor()));
            return IndexAdvice.complete(findings, session.dataSource(), statements(session), claims.claimed());
        } catch (DatabaseFailureException e) {
            findings.add(new Finding(Level.ERROR, "claims table", String.valueOf(e.getMessage()), ""));
        } catch (SqlFailure e) {
            findings.add(new Finding(
                    Level.WARNING, "claims index", "its text could not be found: " + e.getMessage(), "Ask again"));
        }
        return findings;
    }

    /** Returns whether none of them is at WARNING or ERROR. */
    private boolean printAll(List<Finding> findings) {
        findings.forEach(this::print);
        return findings.stream().allMatch(finding -> finding.level().compareTo(Level.WARNING) < 0);
    }

    private void print(Finding finding) {
        String remedy = finding.remedy().isEmpty() ? "" : " -> " + finding.remedy();
        out().printf("%-8s%s%n", finding.level(), clean(finding.subject() + ": " + finding.message() + remedy));
    }
}
