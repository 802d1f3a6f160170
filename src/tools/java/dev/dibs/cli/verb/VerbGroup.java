package dev.dibs.cli.verb;

import java.util.List;
import picocli.CommandLine;

/**
 * A command that has only verbs. A command line builds the verb that it names, and no other: picocli's model of all verbs takes longer than
 * most verbs. Help and mistakes get all of them.
 */
public abstract class VerbGroup implements Runnable {

    /** It needs the verbs that it describes. */
    private static final String HELP = "help";

    /** The verbs, in the order of the help. */
    protected abstract List<String> verbs();

    /** A new verb, with the annotations of picocli. */
    protected abstract Object verb(String name);

    /**
     * Adds the verb that the words name, or all of them.
     *
     * @param words the words of the command line from this command on, without its own name
     */
    public static CommandLine build(VerbGroup group, List<String> words) {
        CommandLine built = new CommandLine(group);
        boolean named = !words.isEmpty()
                && group.verbs().contains(words.get(0))
                && !words.get(0).equals(HELP);
        for (String name : named ? words.subList(0, 1) : group.verbs()) {
            Object verb = group.verb(name);
            built.addSubcommand(
                    name,
                    verb instanceof VerbGroup inner
                            ? build(inner, named ? words.subList(1, words.size()) : List.of())
                            : verb);
        }
        return built;
    }

    /** Nobody named a verb. */
    protected final UsageError whichVerb(String command) {
        return new UsageError("which command? One of " + String.join(", ", verbs()) + " (see " + command + " --help)");
    }
}
