package dev.dibs.cli.run;

import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.text.Masked;
import java.util.List;
import picocli.CommandLine.Parameters;

/** A verb for one run, which must exist. */
abstract class RunVerb extends DatabaseVerb {

    @Parameters(paramLabel = "NAME", description = "Name of the run.")
    private String name;

    @Override
    protected final int run(Session session) {
        return run(session, session.dibs().run(Arguments.readable("name", name)));
    }

    /** Does the work and returns the exit code. */
    abstract int run(Session session, Run run);

    /** The run's status, without passwords. */
    final RunStatus status(Session session, Run run) {
        return session.ask(run::status)
                .map(status -> Masked.run(status, this::mask))
                .orElseThrow(() -> new UsageError(
                        "there is no run '" + run.name() + "': it was never started; see 'dibs run list'"));
    }

    final void say(String text) {
        out().println(clean(text));
    }

    final void print(List<String> lines) {
        lines.forEach(out()::println);
    }
}
