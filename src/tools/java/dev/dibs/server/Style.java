package dev.dibs.server;

import dev.dibs.console.DibsConsole;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** The console's stylesheet, and its hash for the Content-Security-Policy of a page that has it inside. */
final class Style {

    static final String TEXT = read();
    static final String HASH = "sha256-" + hash();

    private Style() {}

    private static String read() {
        try (InputStream stream = DibsConsole.class.getResourceAsStream("console.css")) {
            if (stream == null) {
                throw new IllegalStateException("console.css is not in the jar");
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String hash() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(TEXT.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
