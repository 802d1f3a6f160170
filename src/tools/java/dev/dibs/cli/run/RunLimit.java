package dev.dibs.cli.run;

import dev.dibs.cli.verb.UsageError;
import dev.dibs.runs.Run;
import picocli.CommandLine.Option;

/** How many entries are listed, and in which form. */
final class RunLimit {

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "How many at most, from 1 to " + Run.LONGEST_LIST + ". Default: ${DEFAULT-VALUE}")
    private int limit;

    @Option(names = "--json", description = "Print an array of objects.")
    private boolean json;

    int limit() {
        if (limit < 1 || limit > Run.LONGEST_LIST) {
            throw new UsageError("--limit " + limit + " is out of bounds; it must be from 1 to " + Run.LONGEST_LIST);
        }
        return limit;
    }

    boolean json() {
        return json;
    }
}
