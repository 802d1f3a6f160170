package dev.dibs.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Finding.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class FilePlaceTest {

    @ParameterizedTest
    @ValueSource(strings = {"nfs4", "NFS", "cifs", "smb3", "fuse.sshfs", "fuse.glusterfs"})
    void aFileSystemOfAnotherMachineIsAnError(String type) {
        assertThat(FilePlace.finding("/mnt/app.db", type)).satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.ERROR);
            assertThat(finding.message()).startsWith("/mnt/app.db is on a network (" + type + ")");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs", "btrfs", "apfs", "NTFS", "tmpfs", "overlay", "fuse.encfs"})
    void aDiskOfThisMachineIsFine(String type) {
        assertThat(FilePlace.finding("/data/app.db", type).level()).isEqualTo(Level.OK);
    }

    @Test
    void aShareOfWindowsIsAnError() {
        assertThat(FilePlace.finding("\\\\server\\share\\app.db", "NTFS").level())
                .isEqualTo(Level.ERROR);
    }

    @Test
    void aFileOfThisMachineIsLookedUp(@TempDir Path folder) throws Exception {
        Path file = Files.createFile(folder.resolve("app.db"));
        assertThat(FilePlace.finding(file.toString()).message()).startsWith(file + " (");
    }

    @Test
    void aFileThatIsNotThereIsANote(@TempDir Path folder) {
        assertThat(FilePlace.finding(folder.resolve("gone.db").toString()).level())
                .isEqualTo(Level.NOTE);
    }
}
