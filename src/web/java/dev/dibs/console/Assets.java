package dev.dibs.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The stylesheet and the script. Their names depend on their content, so that browsers may cache them without limit. */
final class Assets {

    private static final Map<String, String> FOR_GOOD = Map.of("Cache-Control", "public, max-age=31536000, immutable");

    private static final Answer CSS = new Answer(200, "text/css;charset=UTF-8", read("console.css"), FOR_GOOD);
    private static final Answer JS = new Answer(200, "text/javascript;charset=UTF-8", read("console.js"), FOR_GOOD);

    /** The address of the stylesheet. */
    static final String STYLE = "console-" + hash(CSS.body()) + ".css";

    /** The address of the script. */
    static final String SCRIPT = "console-" + hash(JS.body()) + ".js";

    private Assets() {}

    /** The file, or null if there is none with this name. */
    static @Nullable Answer get(String name) {
        return name.equals(STYLE) ? CSS : name.equals(SCRIPT) ? JS : null;
    }

    private static String read(String name) {
        try (InputStream stream = Assets.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new IllegalStateException(name + " is not in the jar");
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
