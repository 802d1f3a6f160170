package dev.dibs.cli.lock;

import dev.dibs.Dibs;
import dev.dibs.LeaseInfo;
import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import dev.dibs.text.Words;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes a lock from its holder by force. */
@Command(
        name = "break",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Takes a lock from its holder by force, and prints the holder. With an option: a read-write lock or a semaphore, from all"
                    + " of its holders.",
            "",
            "The holder notices at its next renewal, a third of its lease later at most, and goes on working until then.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it is broken", "1:nobody had it", "2:a mistake, or the database cannot be asked"})
public final class BreakCommand extends DatabaseVerb {

    @Parameters(paramLabel = "NAME", description = "Its name.")
    private String name;

    @ArgGroup
    private Kind kind = new Kind();

    /** At most one of them. */
    private static final class Kind {
        @Option(names = "--read-write", description = "A read-write lock: its readers and its writer.")
        private boolean readWrite;

        @Option(names = "--semaphore", description = "All permits of a semaphore.")
        private boolean semaphore;
    }

    @Override
    protected int run(Session session) {
        String readable = Arguments.readable("name", name);
        List<LeaseInfo> before = broken(session.dibs(), readable);
        before.forEach(holder -> out().println(clean(said(holder))));
        if (before.isEmpty()) {
            out().println(clean("nobody has '" + name + "'" + inTransaction(session.dibs(), readable)));
        }
        return before.isEmpty() ? ExitCode.NO : ExitCode.OK;
    }

    private List<LeaseInfo> broken(Dibs dibs, String readable) {
        if (kind.readWrite) {
            return dibs.admin().breakLeases(readable, LeaseInfo.Kind.WRITER, LeaseInfo.Kind.READER);
        }
        if (kind.semaphore) {
            return dibs.admin().breakLeases(readable, LeaseInfo.Kind.PERMIT);
        }
        return dibs.admin().breakLock(readable).stream().toList();
    }

    /** A transaction that has it, where the database can tell. */
    private String inTransaction(Dibs dibs, String readable) {
        if (kind.readWrite || kind.semaphore) {
            return "";
        }
        return dibs.admin().locks().stream()
                .filter(lock -> lock.kind() == LeaseInfo.Kind.TRANSACTION)
                .filter(lock -> lock.name().equals(readable))
                .map(lock -> " by a lease, but " + lock.holder() + " has: end that session of the database")
                .findFirst()
                .orElse("");
    }

    private String said(LeaseInfo holder) {
        String role = holder.kind() == LeaseInfo.Kind.LOCK ? "" : " (" + Words.kind(holder) + ")";
        return "broken: '" + name + "' was held by " + HolderText.since(holder) + role;
    }
}
