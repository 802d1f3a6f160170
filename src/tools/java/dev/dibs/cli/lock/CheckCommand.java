package dev.dibs.cli.lock;

import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import java.util.Map;
import picocli.CommandLine.Command;

/** Whether the caller still holds its lock. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Asks the database whether the lock is still held that this script has by 'dibs hold', or this command by 'dibs lock'.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it is held", "2:a mistake, or the database cannot be asked", "76:it is not held any more"})
public final class CheckCommand extends DatabaseVerb {

    private String name = "";
    private long fence;

    @Override
    public Integer call() {
        Map<String, String> environment = root().environment();
        String given = environment.get("DIBS_FENCE");
        if (given == null || !given.matches("[0-9]{1,18}") || !environment.containsKey("DIBS_NAME")) {
            throw new UsageError(
                    "nothing is held here: DIBS_NAME and DIBS_FENCE are set by 'dibs hold' and 'dibs lock'");
        }
        name = environment.get("DIBS_NAME");
        fence = Long.parseLong(given);
        if (environment.containsKey(ScriptLockFolder.VARIABLE)) {
            ScriptLockFolder folder = ScriptLockFolder.of(environment);
            String lost = folder.lost();
            if (lost != null) {
                return notHeld(lost);
            }
            if (folder.keeper().isEmpty()) {
                return notHeld("the process that kept '" + name + "' has ended");
            }
        }
        return super.call();
    }

    @Override
    protected int run(Session session) {
        boolean held = session.ask(session.dibs().admin()::leases).stream()
                .anyMatch(lock -> lock.name().equals(name) && lock.fencingToken() == fence);
        return held ? ExitCode.OK : notHeld("'" + name + "' is not ours any more");
    }

    private int notHeld(String why) {
        warn(why);
        return ExitCode.LEASE_LOST;
    }
}
