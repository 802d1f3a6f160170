package dev.dibs.cli.token;

import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import dev.dibs.tokens.OneTimeTokens;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Deletes tokens that expired or were revoked long ago. */
@Command(
        name = "purge",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Deletes tokens that expired or were revoked long ago, in small transactions that delay no caller.",
            ""
        })
final class TokenPurgeCommand extends TokenVerb {

    @Option(
            names = "--keep",
            paramLabel = "DURATION",
            defaultValue = "1d",
            description = "How long ago that must have been. A deleted token is unknown from then on. A used"
                    + " token stays until its expiry, and for a minute at least. Default:"
                    + " ${DEFAULT-VALUE}")
    private Duration keep;

    @Override
    protected int run(Session session, OneTimeTokens tokens) {
        long purged = session.ask(tokens.keepFor(keep)::purge);
        say("purged " + purged);
        return ExitCode.OK;
    }
}
