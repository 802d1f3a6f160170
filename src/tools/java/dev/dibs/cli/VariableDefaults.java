package dev.dibs.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The variables that stand for a missing option. An empty variable counts as missing. */
final class VariableDefaults implements IDefaultValueProvider {

    private static final Map<String, String> VARIABLES =
            Map.of("--schema", "DIBS_SCHEMA", "--prefix", "DIBS_PREFIX", "--dialect", "DIBS_DIALECT");

    private final Map<String, String> environment;

    VariableDefaults(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        String variable = argument instanceof OptionSpec option ? VARIABLES.get(option.longestName()) : null;
        String value = variable == null ? null : environment.get(variable);
        return value == null || value.isEmpty() ? null : value;
    }
}
