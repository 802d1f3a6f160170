package dev.dibs.cli.token;

import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenResult;
import java.time.Duration;
import picocli.CommandLine.Option;

/** A verb for the tokens of one purpose. */
abstract class TokenVerb extends DatabaseVerb {

    @Option(
            names = "--purpose",
            required = true,
            paramLabel = "P",
            description =
                    "The purpose of the tokens: 1 to 100 characters. A token of one purpose is unknown to another.")
    private String purpose;

    /** The programs decide how long tokens are kept, so only {@code dibs token purge} purges here. */
    @Override
    protected final int run(Session session) {
        return run(
                session,
                session.dibs().tokens(Arguments.readable("purpose", purpose)).purgeEvery(Duration.ZERO));
    }

    /** Does the work and returns the exit code. */
    abstract int run(Session session, OneTimeTokens tokens);

    /** The token or the code; from now on it is masked everywhere. */
    final String secret(String word) {
        String secret = word.equals(SecretArguments.STANDARD_INPUT) ? SecretArguments.read(root().input()) : word;
        root().secrets().learn(null, secret);
        return secret;
    }

    final void say(String text) {
        out().println(clean(text));
    }

    /** Prints the result for a token or a code, and returns the exit code. */
    final int answer(TokenResult result, boolean good, boolean json) {
        if (json) {
            out().println(TokenText.json(result));
        } else if (good) {
            TokenText.lines(result).forEach(out()::println);
        } else {
            warn(TokenText.refusal(result));
        }
        return good ? ExitCode.OK : ExitCode.TOKEN_REFUSED;
    }
}
