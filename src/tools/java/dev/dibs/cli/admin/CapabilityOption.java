package dev.dibs.cli.admin;

import dev.dibs.Capability;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The capabilities whose tables are meant. */
final class CapabilityOption {

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "CAPABILITY",
            converter = Converter.class,
            completionCandidates = Names.class,
            description =
                    "Only the tables of these, and of those that they need: ${COMPLETION-CANDIDATES}. Default: all.")
    private List<Capability> only = List.of();

    /** The chosen ones; none means all. */
    Capability[] chosen() {
        return only.toArray(Capability[]::new);
    }

    /** For the help text. */
    static final class Names implements Iterable<String> {

        @Override
        public Iterator<String> iterator() {
            return Stream.of(Capability.values()).map(Capability::toString).iterator();
        }
    }

    /** Reads the names that the help shows. */
    static final class Converter implements ITypeConverter<Capability> {

        @Override
        public Capability convert(String text) {
            try {
                return Capability.named(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
