package dev.dibs.cli.verb;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The output of {@code --version}. */
public final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() {
        String version = Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
                .orElse("(not built)");
        return new String[] {"dibs " + version};
    }
}
