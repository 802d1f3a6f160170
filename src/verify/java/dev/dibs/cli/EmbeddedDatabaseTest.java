package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.dibs.cli.Cli.Outcome;
import dev.dibs.process.ChildJvm;
import dev.dibs.process.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No other user can use the database in the user's home: its users can run code as its owner. */
@Tag("process")
class EmbeddedDatabaseTest {

    @TempDir
    private Path home;

    private Path directory;

    @BeforeEach
    void makeDirectory() throws IOException {
        directory = Files.createDirectory(home.resolve(".dibs"));
    }

    @Test
    void anOpenDatabaseIsClosedAndGetsAPassword() throws Exception {
        mode("rwxr-xr-x");
        connect("").close();
        try (ChildJvm locks = ChildJvm.start(
                List.of(), DibsCommandTest.environment(home), Main.class, "lock", "a", "--", "ls", directory + "")) {
            assertThat(locks.exitCode(Duration.ofMinutes(2))).isZero();
            assertThat(locks.lines()).contains("dibs.mv.db", "dibs.password", "dibs.door");
        }
        assertThat(modeOf(directory)).isEqualTo("rwx------");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).allSatisfy(file -> assertThat(modeOf(file)).isEqualTo("rw-------"));
        }
        assertThatThrownBy(() -> connect("")).isInstanceOf(SQLException.class);
        String password = Files.readString(directory.resolve("dibs.password"));
        assertThat(password).matches("[0-9a-f]{48}");
        connect(password).close();
    }

    private Connection connect(String password) throws SQLException {
        return DriverManager.getConnection("jdbc:h2:file:" + directory.resolve("dibs"), "dibs", password);
    }

    @Test
    void aDatabaseOthersCanWriteIsRefused() throws IOException {
        mode("rwxrwxr-x");
        assertThat(locks().err()).contains("others may write to the directory " + directory, "chmod 700 " + directory);
        assertThat(locks().exitCode()).isEqualTo(2);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aDatabaseOfAnotherUserIsRefused() throws IOException {
        assumeThat(Shell.asRoot()).isTrue();
        mode("rwx------");
        Files.setOwner(
                directory,
                directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
        assertThat(locks().err()).contains("the directory " + directory + " belongs to nobody, who could");
        assertThat(locks().exitCode()).isEqualTo(2);
        assertThat(directory).isEmptyDirectory();
    }

    private Outcome locks() {
        return new Cli(DibsCommandTest.environment(home)).run("locks");
    }

    private void mode(String mode) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(mode));
    }

    private static String modeOf(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
