package dev.dibs.cli.token;

import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.Version;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks at a token. */
@Command(
        name = "peek",
        preprocessor = SecretArguments.class,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Looks at a token without using it up.", ""},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:it could be used now",
            "2:a mistake, or the database cannot be asked",
            "77:it is unknown, expired, revoked or used"
        })
final class TokenPeekCommand extends TokenVerb {

    @Parameters(paramLabel = "TOKEN", description = "The token, or - to read it from the standard input.")
    private String token;

    @Option(names = "--json", description = "Print an object, whatever the status.")
    private boolean json;

    @Override
    protected int run(Session session, OneTimeTokens tokens) {
        String secret = secret(token);
        TokenResult result = session.ask(() -> tokens.peek(secret));
        return answer(result, result.isOk(), json);
    }
}
