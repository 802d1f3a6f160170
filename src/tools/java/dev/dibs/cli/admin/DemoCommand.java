package dev.dibs.cli.admin;

import dev.dibs.cli.database.ConnectionOptions;
import dev.dibs.cli.verb.Invocation;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import dev.dibs.demo.Demo;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Shows the library at work. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Shows a run at work, in less than a minute: three processes inspect the jars of the local Maven repository, or what"
                    + " the JDK is made of where there is none, while one of them is killed, the run is paused, and one is paused"
                    + " past its lease.",
            "",
            "Uses a database of its own that it removes, unless one is named here: DIBS_URL does not count.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:every promise was kept", "1:one was broken", "2:the demo could not run"})
public final class DemoCommand implements Callable<Integer> {

    @ParentCommand
    private Invocation root;

    @Option(names = "--files", paramLabel = "DIR", description = "Inspects the files below this directory instead.")
    private @Nullable String files;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long the work takes, from 8 to 600; the incidents come on top. Default: 25.")
    private @Nullable Integer seconds;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "JDBC url of a database for it; tables named dibs_demo_.. are created and dropped there.")
    private @Nullable String url;

    @Option(
            names = "--user",
            paramLabel = "USER",
            description = "User of that database. The password is taken from DIBS_PASSWORD.")
    private @Nullable String user;

    @Option(names = "--keep", description = "Leaves the tables there, to be looked at.")
    private boolean keep;

    @Override
    public Integer call() {
        if (url == null && user != null) {
            throw new UsageError("there is a user but no database: add --url");
        }
        Map<String, String> given = new HashMap<>();
        given.put("demo.url", url == null ? "" : url);
        given.put("demo.user", user == null ? "" : user);
        given.put("demo.password", url == null ? "" : root.environment().getOrDefault(ConnectionOptions.PASSWORD, ""));
        given.put("demo.keep", Boolean.toString(keep));
        if (files != null) {
            given.put("demo.files", files);
        }
        if (seconds != null) {
            given.put("demo.seconds", seconds.toString());
        }
        return Demo.run(given);
    }
}
