package dev.dibs.cli.token;

import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import dev.dibs.tokens.OneTimeTokens;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ends a token, or all of a subject. */
@Command(
        name = "revoke",
        preprocessor = SecretArguments.class,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Ends a token before its time, or with --subject all tokens and codes of a subject.", ""},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done; with --subject none is fine, too",
            "1:the token was not live",
            "2:a mistake, or the database cannot be asked"
        })
final class TokenRevokeCommand extends TokenVerb {

    @Parameters(
            arity = "0..1",
            paramLabel = "TOKEN",
            description = "The token, or - to read it from the standard input.")
    private @Nullable String token;

    @Option(names = "--subject", paramLabel = "S", description = "Whose tokens and codes are to be ended.")
    private @Nullable String subject;

    @Override
    protected int run(Session session, OneTimeTokens tokens) {
        if (token != null && subject == null) {
            return one(session, tokens, secret(token));
        }
        if (token == null && subject != null) {
            return all(session, tokens, Arguments.readable("subject", subject));
        }
        throw new UsageError("name a token: either TOKEN or --subject");
    }

    private int one(Session session, OneTimeTokens tokens, String secret) {
        boolean live = session.ask(() -> tokens.revoke(secret));
        say(live ? "revoked" : "the token was not live");
        return live ? ExitCode.OK : ExitCode.NO;
    }

    private int all(Session session, OneTimeTokens tokens, String whose) {
        long revoked = session.ask(() -> tokens.revokeAll(whose));
        say("revoked " + revoked + " of '" + whose + "'");
        return ExitCode.OK;
    }
}
