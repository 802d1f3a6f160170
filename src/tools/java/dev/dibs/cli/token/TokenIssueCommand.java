package dev.dibs.cli.token;

import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import dev.dibs.tokens.OneTimeTokens;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Issues a token or a code. */
@Command(
        name = "issue",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Issues a token, or with --digits a short code, and prints it and nothing else.",
            "",
            "It is stored nowhere and cannot be shown again.",
            ""
        },
        footer = {
            "",
            "  TOKEN=$(dibs token issue --purpose download --subject ann --ttl 10m --payload report.pdf)",
            "  CODE=$(dibs token issue --purpose sign-in --subject ann --ttl 5m --digits 6 --pepper-file pepper)"
        })
final class TokenIssueCommand extends TokenVerb {

    @Option(
            names = "--subject",
            required = true,
            paramLabel = "S",
            description = "Whose it is: 1 to 200 characters, compared exactly.")
    private String subject;

    @Option(
            names = "--ttl",
            required = true,
            paramLabel = "DURATION",
            description = "How long it can be used, as in 30s, 10m, 1h, 2d.")
    private Duration ttl;

    @Option(
            names = "--payload",
            paramLabel = "TEXT",
            description = "A text for the caller that uses the token: up to 4000 characters, stored as they are.")
    private @Nullable String payload;

    @Option(names = "--one-per-subject", description = "Revoke the subject's former one.")
    private boolean onePerSubject;

    @Option(
            names = "--id",
            paramLabel = "ID",
            description = "The same token again whenever it is issued under this id; needs --pepper-file.")
    private @Nullable String id;

    @Option(names = "--digits", paramLabel = "N", description = "A code of 6 to 10 digits; needs --pepper-file.")
    private @Nullable Integer digits;

    @Mixin
    private final CodeOptions codes = new CodeOptions();

    @Override
    protected int run(Session session, OneTimeTokens tokens) {
        Arguments.readable("subject", subject);
        if (payload != null) {
            Arguments.readable("payload", payload);
        }
        OneTimeTokens settled = onePerSubject ? tokens.onePerSubject() : tokens;
        // Printed without escapes: it has only the secret.
        out().println(digits == null ? token(session, settled) : code(session, settled, digits));
        return ExitCode.OK;
    }

    private String token(Session session, OneTimeTokens tokens) {
        if (id == null) {
            return session.ask(() -> tokens.issue(subject, ttl, payload));
        }
        String theId = Arguments.readable("id", id);
        OneTimeTokens keyed = codes.applyTo(tokens, "a token under an id");
        return session.ask(() -> keyed.issue(subject, ttl, payload, theId));
    }

    private String code(Session session, OneTimeTokens tokens, int length) {
        if (id != null || onePerSubject) {
            throw new UsageError("a subject has one code at most, whose place another takes: leave --id and"
                    + " --one-per-subject away");
        }
        OneTimeTokens keyed = codes.applyTo(tokens, "a code");
        return session.ask(() -> keyed.issueCode(subject, ttl, length, payload));
    }
}
