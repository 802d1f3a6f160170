package dev.dibs.cli.token;

import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenInfo;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the tokens of a subject. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Lists the latest tokens and codes of a subject, the latest first, without their secrets.", ""})
final class TokenListCommand extends TokenVerb {

    @Option(names = "--subject", required = true, paramLabel = "S", description = "Whose tokens and codes.")
    private String subject;

    @Option(names = "--json", description = "Print an array of objects with kind, status, issued and when.")
    private boolean json;

    @Override
    protected int run(Session session, OneTimeTokens tokens) {
        String whose = Arguments.readable("subject", subject);
        List<TokenInfo> issued = session.ask(() -> tokens.list(whose));
        out().println(json ? TokenText.json(issued) : TokenText.list(issued));
        return ExitCode.OK;
    }
}
