package dev.dibs.demo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A jar that no worker can read without an error: a byte of its only entry was flipped after its CRC had been written. */
final class PlantedJar {

    private static final byte[] CONTENT = "was whole once".getBytes(StandardCharsets.US_ASCII);

    private PlantedJar() {}

    static Path write(Path directory) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ZipEntry entry = new ZipEntry("broken.txt");
        CRC32 crc = new CRC32();
        crc.update(CONTENT);
        // Uncompressed, so that its bytes can be found again.
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(CONTENT.length);
        entry.setCrc(crc.getValue());
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.putNextEntry(entry);
            zip.write(CONTENT);
            zip.closeEntry();
        }
        byte[] jar = bytes.toByteArray();
        String text = new String(jar, StandardCharsets.ISO_8859_1);
        jar[text.indexOf(new String(CONTENT, StandardCharsets.ISO_8859_1))] ^= 1;
        return Files.write(directory.resolve("broken-on-purpose.jar"), jar);
    }
}
