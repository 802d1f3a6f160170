package dev.dibs.demo;

import dev.dibs.demo.JarReport.Verdict;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Reads a jar from end to end: the SHA-1 of the file against its sidecar, and the CRC of each entry against the one in the
 * jar's directory, which {@link ZipFile} itself does not compare.
 */
final class JarCheck {

    /** What Java says of jars that it can not read although nothing need be wrong with them. */
    private static final Pattern UNSUPPORTED = Pattern.compile("encrypted entry|compression method");

    private static final int BUFFER = 65_536;

    private final Path jar;
    private final Runnable pulse;
    private final byte[] buffer = new byte[BUFFER];
    private int entries;
    private boolean compared;

    private JarCheck(Path jar, Runnable pulse) {
        this.jar = jar;
        this.pulse = pulse;
    }

    /**
     * Checks one jar; whatever is wrong with it is in the report.
     *
     * @param pulse called again and again on the way
     */
    static JarReport check(Path jar, Runnable pulse) {
        return new JarCheck(jar, pulse).check();
    }

    private JarReport check() {
        try {
            Optional<String> expected = Sidecar.of(jar);
            if (expected.isPresent() && !expected.get().isEmpty()) {
                String actual = sha1();
                compared = true;
                if (!actual.equals(expected.get())) {
                    return report(Verdict.CORRUPT, "its SHA-1 is " + actual + ", its sidecar says " + expected.get());
                }
            }
            readEntries();
            return expected.isPresent() && !compared
                    ? report(Verdict.ODD, "its sidecar holds no SHA-1")
                    : report(Verdict.SOUND, "");
        } catch (ZipException | EOFException e) {
            String why = String.valueOf(e.getMessage());
            return report(UNSUPPORTED.matcher(why).find() ? Verdict.ODD : Verdict.CORRUPT, why);
        } catch (IOException e) {
            return report(Verdict.UNREADABLE, e.toString());
        }
    }

    private String sha1() throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has it", e);
        }
        try (InputStream in = Files.newInputStream(jar)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
                pulse.run();
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Each entry is read right after it was listed: of two entries with one name, one would else be read twice. */
    private void readEntries() throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            Enumeration<? extends ZipEntry> listed = zip.entries();
            while (listed.hasMoreElements()) {
                ZipEntry entry = listed.nextElement();
                if (!entry.isDirectory()) {
                    compareCrc(zip, entry);
                    entries++;
                }
            }
        }
    }

    private void compareCrc(ZipFile zip, ZipEntry entry) throws IOException {
        CRC32 crc = new CRC32();
        try (InputStream in = zip.getInputStream(entry)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                crc.update(buffer, 0, read);
                pulse.run();
            }
        }
        if (crc.getValue() != entry.getCrc()) {
            throw new ZipException("the CRC of its entry " + entry.getName() + " does not match");
        }
    }

    private JarReport report(Verdict verdict, String detail) {
        return new JarReport(jar.getFileName().toString(), verdict, detail, size(), entries, compared);
    }

    private long size() {
        try {
            return Files.size(jar);
        } catch (IOException e) {
            return 0;
        }
    }
}
