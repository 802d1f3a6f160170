package dev.dibs.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The output of {@code --version}. */
final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() {
        String version = Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
                .orElse("(not built)");
        return new String[] {"dibs " + version};
    }
}
