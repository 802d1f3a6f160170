package dev.dibs.demo;

import dev.dibs.demo.FileReport.Verdict;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Reads a file from end to end. Its SHA-1 is compared with the sidecar, if there is one. In an archive, the CRC of each entry is compared
 * with the one in the archive's directory, which {@link ZipFile} itself does not do.
 */
final class FileCheck {

    /** Java's messages for archives that it cannot read, although they may be sound. */
    private static final Pattern UNSUPPORTED = Pattern.compile("encrypted entry|compression method");

    private static final Pattern ARCHIVE = Pattern.compile(".*\\.(jar|jmod|war|ear|zip)");

    private static final int BUFFER = 65_536;

    private final Path file;
    private final byte[] buffer = new byte[BUFFER];
    private int entries;
    private boolean compared;
    private String sha1 = "";
    private long bytes;

    private FileCheck(Path file) {
        this.file = file;
    }

    /** Checks one file; the report has all its problems. */
    static FileReport check(Path file) {
        return new FileCheck(file).check();
    }

    private FileReport check() {
        try {
            hash();
            Optional<String> expected = Sidecar.of(file);
            if (expected.isPresent() && !expected.get().isEmpty()) {
                compared = true;
                if (!sha1.equals(expected.get())) {
                    return report(Verdict.CORRUPT, "its SHA-1 is " + sha1 + ", its sidecar says " + expected.get());
                }
            }
            if (ARCHIVE.matcher(file.getFileName().toString().toLowerCase(Locale.ROOT))
                    .matches()) {
                readEntries();
            }
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

    private void hash() throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has it", e);
        }
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
                bytes += read;
            }
        }
        sha1 = HexFormat.of().formatHex(digest.digest());
    }

    /** Each entry is read right after it was listed: of two entries with one name, one would else be read twice. */
    private void readEntries() throws IOException {
        try (ZipFile zip = new ZipFile(file.toFile())) {
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
            }
        }
        if (crc.getValue() != entry.getCrc()) {
            throw new ZipException("the CRC of its entry " + entry.getName() + " does not match");
        }
    }

    private FileReport report(Verdict verdict, String detail) {
        return new FileReport(verdict, detail, bytes, entries, sha1, compared);
    }
}
