package dev.dibs.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** libfaketime, which shows processes a wrong wall clock. Their monotonic clock stays right, as it does when a clock is set. */
public final class Faketime {
    public static final String MISSING = "libfaketime is not installed: apt-get install faketime, to run this test";

    private static final Path LIBRARIES = Path.of("/usr/lib");

    private final Path library;

    private Faketime(Path library) {
        this.library = library;
    }

    public static Optional<Faketime> find() {
        if (!Files.isDirectory(LIBRARIES)) {
            return Optional.empty();
        }
        try (Stream<Path> found = Files.find(
                LIBRARIES,
                4,
                (path, attributes) -> path.getFileName().toString().equals("libfaketimeMT.so.1"))) {
            return found.findFirst().map(Faketime::new);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The environment of a process whose clock is wrong by this shift, as in {@code +1h} or {@code -600s}. */
    public Map<String, String> shifted(String shift) {
        return with("FAKETIME", shift, Map.of());
    }

    /** The same for a clock that jumps, within a second, when another shift is written to the file. */
    public Map<String, String> shiftedBy(Path file) {
        return with("FAKETIME_TIMESTAMP_FILE", file.toString(), Map.of("FAKETIME_CACHE_DURATION", "1"));
    }

    /** The last variable is switched off since it makes timed waits end at once, or late. */
    private Map<String, String> with(String name, String value, Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(more);
        environment.put("LD_PRELOAD", library.toString());
        environment.put(name, value);
        environment.put("DONT_FAKE_MONOTONIC", "1");
        environment.put("FAKETIME_FORCE_MONOTONIC_FIX", "0");
        return environment;
    }
}
