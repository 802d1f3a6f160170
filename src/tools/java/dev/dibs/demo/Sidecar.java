package dev.dibs.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The {@code .sha1} file beside a jar. Most hold the bare hash; some add the file's name, before or after it. */
final class Sidecar {

    private static final Pattern SHA_1 = Pattern.compile("(?<![0-9a-fA-F])[0-9a-fA-F]{40}(?![0-9a-fA-F])");
    private static final int LONGEST = 4_096;

    private Sidecar() {}

    /** The hash of the sidecar, or nothing if there is no sidecar; an empty text if it holds no hash. */
    static Optional<String> of(Path jar) throws IOException {
        try (InputStream in = Files.newInputStream(jar.resolveSibling(jar.getFileName() + ".sha1"))) {
            return Optional.of(hash(new String(in.readNBytes(LONGEST), StandardCharsets.ISO_8859_1)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    static String hash(String text) {
        Matcher hash = SHA_1.matcher(text);
        return hash.find() ? hash.group().toLowerCase(Locale.ROOT) : "";
    }
}
