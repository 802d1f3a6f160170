package dev.dibs.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Finding.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a database is: the file system of its file, and its name for people, which tells production from staging and no secret. */
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

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://db1:5432/shop?user=u&password=secret, shop, postgresql://db1:5432/shop",
        "jdbc:mariadb://u:secret@db1/shop, shop, mariadb://db1/shop",
        "'jdbc:sqlserver://db1:1433;databaseName=shop;password=secret', shop, sqlserver://db1:1433 shop",
        "'jdbc:h2:mem:x;USER=sa;PASSWORD=secret', X, h2:mem:x",
        "'jdbc:oracle:thin:u/secret@//db1:1521/shop', , oracle://db1:1521/shop",
    })
    void anAddressIsShownWithoutUserPasswordAndSettings(String url, String catalog, String shown) {
        assertThat(DatabaseAddress.of(url, catalog, "Product")).isEqualTo(shown).doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource({"shop, Product shop", ", Product"})
    void aDriverThatTellsNoAddressIsNamedByItsProduct(String catalog, String shown) {
        assertThat(DatabaseAddress.of(null, catalog, "Product")).isEqualTo(shown);
    }
}
