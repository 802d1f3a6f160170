package dev.dibs.cli.lock;

import dev.dibs.Admin;
import dev.dibs.LeaseInfo;
import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.terminal.Terminal;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import dev.dibs.text.LocksJson;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the holders. */
@Command(
        name = "locks",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Lists the holders by name: of locks, of permits of semaphores, and of both sides of read-write locks.",
            "",
            "Times are UTC, by the database's clock. UNTIL is when the lease ends unless its holder renews it.",
            ""
        })
public final class LocksCommand extends DatabaseVerb {

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            description = "Only this name; a * stands for any characters, as in 'nightly-*'.")
    private String filter = "*";

    @Option(
            names = "--watch",
            description = "Show them again and again, until Ctrl-C. Without a terminal: a line for each change.")
    private boolean watch;

    @Option(
            names = "--json",
            description =
                    "Print an array of objects with name, kind, holder, fence, since and until; with --watch one a line.")
    private boolean json;

    @Option(
            names = "--all",
            description =
                    "Show the locks of Dibs' own maintenance, too. Such a lock expires; its process may have ended long before.")
    private boolean all;

    @Override
    protected int run(Session session) {
        Admin admin = session.dibs().admin();
        Predicate<String> wanted = names(Arguments.readable("name", filter));
        Supplier<List<LeaseInfo>> question = () -> session.ask(all ? admin::allLeases : admin::leases).stream()
                .filter(lock -> wanted.test(lock.name()))
                .toList();
        if (watch) {
            new LocksWatch(out(), json, Terminal.console().isPresent()).follow(question);
        } else {
            List<LeaseInfo> holders = question.get();
            out().println(json ? LocksJson.of(holders) : LocksTable.of(holders));
        }
        return ExitCode.OK;
    }

    private static Predicate<String> names(String filter) {
        String pattern =
                Arrays.stream(filter.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
        return Pattern.compile(pattern, Pattern.DOTALL).asMatchPredicate();
    }
}
