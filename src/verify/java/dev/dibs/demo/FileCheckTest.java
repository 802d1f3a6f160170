package dev.dibs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.demo.FileReport.Verdict;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class FileCheckTest {
    private static final byte[] JAR = Jars.jar("a/One.class", "first content", "a/Two.class", "other content");

    @TempDir
    Path directory;

    private FileReport check(byte[] content) {
        return FileCheck.check(Jars.write(directory, "x.jar", content));
    }

    private FileReport checkBeside(String sidecar) {
        Path jar = Jars.write(directory, "x.jar", JAR);
        Jars.writeSidecar(jar, sidecar);
        return FileCheck.check(jar);
    }

    @Test
    void aSoundJarWithoutSidecar() {
        assertThat(check(JAR)).isEqualTo(new FileReport(Verdict.SOUND, "", JAR.length, 2, Jars.sha1(JAR), false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"%s", "%s\n", "%s  x.jar\n", "SHA1(x.jar)= %s", "x-1.0.jar: %s"})
    void sidecarsComeInManyForms(String form) {
        assertThat(checkBeside(String.format(form, Jars.sha1(JAR))))
                .isEqualTo(new FileReport(Verdict.SOUND, "", JAR.length, 2, Jars.sha1(JAR), true));
    }

    @Test
    void anotherHashIsCorruption() {
        FileReport report = checkBeside("0".repeat(40));
        assertThat(report.verdict()).isEqualTo(Verdict.CORRUPT);
        assertThat(report.detail()).contains(Jars.sha1(JAR), "0".repeat(40));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<html>not found</html>", "abcdef", "0123456789012345678901234567890123456789ab"})
    void aSidecarWithoutHashIsOdd(String text) {
        FileReport report = checkBeside(text);
        assertThat(report.verdict()).isEqualTo(Verdict.ODD);
        assertThat(report.compared()).isFalse();
        assertThat(report.entries()).isEqualTo(2);
    }

    @Test
    void aFlippedByteIsFoundByTheCrc() {
        FileReport report = check(Jars.replaced(JAR, "other content", "otter content"));
        assertThat(report.verdict()).isEqualTo(Verdict.CORRUPT);
        assertThat(report.detail()).contains("a/Two.class").contains("CRC");
    }

    @Test
    void anEncryptedEntryIsOddAndNotCorrupt() {
        byte[] encrypted = JAR.clone();
        int central = new String(JAR, StandardCharsets.ISO_8859_1).indexOf("PK\001\002");
        encrypted[central + 8] |= 1;
        FileReport report = check(encrypted);
        assertThat(report.verdict()).isEqualTo(Verdict.ODD);
        assertThat(report.detail()).contains("encrypted");
    }

    @Test
    void aJarThatHasGoneIsUnreadable() {
        FileReport report = FileCheck.check(directory.resolve("gone.jar"));
        assertThat(report.verdict()).isEqualTo(Verdict.UNREADABLE);
        assertThat(report.bytes()).isZero();
    }

    @Test
    void filesThatAreNoArchivesAreOnlyHashed() {
        FileReport report = FileCheck.check(Jars.write(directory, "x.txt", JAR));
        assertThat(report).isEqualTo(new FileReport(Verdict.SOUND, "", JAR.length, 0, Jars.sha1(JAR), false));
    }
}
