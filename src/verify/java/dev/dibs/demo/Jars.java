package dev.dibs.demo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Makes jars, sound ones and others. */
final class Jars {
    private Jars() {}

    /** Entries are stored as they are, so that a test finds their bytes again. */
    static byte[] jar(String... namesAndTexts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (int i = 0; i < namesAndTexts.length; i += 2) {
                byte[] text = namesAndTexts[i + 1].getBytes(StandardCharsets.UTF_8);
                zip.putNextEntry(stored(namesAndTexts[i], text));
                zip.write(text);
                zip.closeEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static ZipEntry stored(String name, byte[] text) {
        CRC32 crc = new CRC32();
        crc.update(text);
        ZipEntry entry = new ZipEntry(name);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(text.length);
        entry.setCrc(crc.getValue());
        return entry;
    }

    /** The same bytes, with every occurrence of a text replaced by another one of its length. */
    static byte[] replaced(byte[] jar, String text, String by) {
        String all = new String(jar, StandardCharsets.ISO_8859_1);
        return all.replace(text, by).getBytes(StandardCharsets.ISO_8859_1);
    }

    static Path write(Path directory, String name, byte[] content) {
        try {
            Files.createDirectories(directory);
            return Files.write(directory.resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void writeSidecar(Path jar, String text) {
        write(jar.getParent(), jar.getFileName() + ".sha1", text.getBytes(StandardCharsets.UTF_8));
    }

    static String sha1(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
