package dev.dibs.cli.token;

import dev.dibs.cli.verb.VerbGroup;
import dev.dibs.cli.verb.Version;
import java.util.List;
import picocli.CommandLine.Command;

/** The verbs for one-time tokens; it does nothing itself. */
@Command(
        name = "token",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Issues and uses one-time tokens: secrets that expire and that exactly one caller can use.",
            "",
            "The database has digests only. All users of this machine that can list processes see a token on the"
                    + " command line: give - in its place, and the token by the standard input.",
            ""
        })
public final class TokenCommand extends VerbGroup {

    private static final List<String> VERBS = List.of("issue", "peek", "consume", "revoke", "purge", "list", "stats");

    @Override
    protected List<String> verbs() {
        return VERBS;
    }

    @Override
    protected Object verb(String name) {
        return switch (name) {
            case "issue" -> new TokenIssueCommand();
            case "peek" -> new TokenPeekCommand();
            case "consume" -> new TokenConsumeCommand();
            case "revoke" -> new TokenRevokeCommand();
            case "purge" -> new TokenPurgeCommand();
            case "list" -> new TokenListCommand();
            case "stats" -> new TokenStatsCommand();
            default -> throw new IllegalArgumentException(name);
        };
    }

    @Override
    public void run() {
        throw whichVerb("dibs token");
    }
}
