package dev.dibs.internal.schema;

import dev.dibs.Capability;
import dev.dibs.internal.values.Arguments;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Capabilities by their names in the schema file. */
public final class CapabilityNames {

    private CapabilityNames() {}

    /** The names; an empty set for no capability, which means all. */
    public static Set<String> of(Capability... capabilities) {
        return Stream.of(Arguments.required("capability", capabilities))
                .map(capability ->
                        Arguments.required("capability", capability).name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }
}
