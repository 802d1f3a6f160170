package dev.dibs.cli.token;

import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenResult;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Uses a token or a code up. */
@Command(
        name = "consume",
        preprocessor = SecretArguments.class,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Uses a token up, or with --subject and --code a code: of many callers, one gets it.",
            "",
            "Prints its subject and its payload.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:it is ours, by this call or by an earlier one of the same attempt",
            "2:a mistake, or the database cannot be asked",
            "77:it is unknown, expired, revoked or used; the code is wrong, or no code is accepted for a while"
        },
        footer = {"", "  printf '%%s' \"$TOKEN\" | dibs token consume --purpose download -"})
final class TokenConsumeCommand extends TokenVerb {

    @Parameters(
            arity = "0..1",
            paramLabel = "TOKEN",
            description =
                    "The token, or - to read it from the standard input, so that it stands in no list of processes.")
    private @Nullable String token;

    @Option(
            names = "--attempt",
            paramLabel = "ID",
            description =
                    "For a token: a caller that ended before it had the answer gets the same answer again with the same"
                            + " id.")
    private @Nullable String attempt;

    @Option(names = "--subject", paramLabel = "S", description = "Whose code it is.")
    private @Nullable String subject;

    @Option(
            names = "--code",
            paramLabel = "CODE",
            description = "The code, or - to read it from the standard input; needs --pepper-file.")
    private @Nullable String code;

    @Option(names = "--json", description = "Print an object, whatever the status.")
    private boolean json;

    @Mixin
    private final CodeOptions codes = new CodeOptions();

    @Override
    protected int run(Session session, OneTimeTokens tokens) {
        if (token != null && subject == null && code == null) {
            return token(session, tokens, token);
        }
        if (token == null && subject != null && code != null && attempt == null) {
            return code(tokens, Arguments.readable("subject", subject), code);
        }
        throw new UsageError("name a token: either TOKEN, or --subject and --code (see dibs token consume --help)");
    }

    /** Always with an id, since the embedded database's host may end before it has answered. */
    private int token(Session session, OneTimeTokens tokens, String word) {
        String by = attempt == null ? UUID.randomUUID().toString() : Arguments.readable("attempt", attempt);
        String secret = secret(word);
        TokenResult result = session.ask(() -> tokens.consume(secret, by));
        return answer(result, result.isOk() || result.sameAttempt(), json);
    }

    /** Sent once: a second time would count as a second try. */
    private int code(OneTimeTokens tokens, String whose, String word) {
        TokenResult result = codes.applyTo(tokens, "a code").consumeCode(whose, secret(word));
        return answer(result, result.isOk(), json);
    }
}
