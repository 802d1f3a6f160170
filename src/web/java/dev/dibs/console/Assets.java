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

    private final Answer style;
    private final Answer script;
    private final String styleName;
    private final String scriptName;

    Assets() {
        String css = read("console.css");
        String js = read("console.js");
        style = new Answer(200, "text/css;charset=UTF-8", css, FOR_GOOD);
        script = new Answer(200, "text/javascript;charset=UTF-8", js, FOR_GOOD);
        styleName = "console-" + hash(css) + ".css";
        scriptName = "console-" + hash(js) + ".js";
    }

    String style() {
        return styleName;
    }

    String script() {
        return scriptName;
    }

    /** The file, or null if there is none with this name. */
    @Nullable
    Answer get(String name) {
        return name.equals(styleName) ? style : name.equals(scriptName) ? script : null;
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
