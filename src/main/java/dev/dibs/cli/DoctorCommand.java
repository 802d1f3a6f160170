package dev.dibs.cli;

import dev.dibs.DibsException;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import java.util.List;
import picocli.CommandLine.Command;

/** Examines the database. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Looks at connection, dialect, tables, isolation, settings and clocks.",
            "",
            "Prints a line for each, with what to do about it. OK and NOTE are fine. WARNING: a lock could be given twice after"
                    + " some fault. ERROR: locks do not work.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:nothing at WARNING or ERROR", "1:something is", "2:a mistake on the command line"})
final class DoctorCommand extends DatabaseVerb {

    @Override
    public Integer call() {
        Target target = target();
        try (Session session = open(target)) {
            print(new Finding(Level.OK, "connection", target.toString(), ""));
            return run(session);
        } catch (Mistake | DibsException e) {
            print(new Finding(Level.ERROR, "connection", String.valueOf(e.getMessage()), ""));
            return ExitCode.NO;
        }
    }

    @Override
    int run(Session session) {
        List<Finding> findings = session.ask(session.dibs()::doctor);
        findings.forEach(this::print);
        boolean healthy = findings.stream().allMatch(finding -> finding.level().compareTo(Level.WARNING) < 0);
        return healthy ? ExitCode.OK : ExitCode.NO;
    }

    private void print(Finding finding) {
        String remedy = finding.remedy().isEmpty() ? "" : " -> " + finding.remedy();
        out().printf("%-8s%s%n", finding.level(), clean(finding.subject() + ": " + finding.message() + remedy));
    }
}
