package dev.dibs.internal.schema;

import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/** Whether a database's file is where the processes of one machine can share it. */
final class FilePlace {

    /** What the operating systems call file systems of other machines; those of FUSE begin with "fuse.". */
    private static final Set<String> REMOTE = Set.of(("nfs nfs4 cifs smb smb2 smb3 smbfs afpfs webdav davfs ncpfs"
                    + " afs 9p ceph glusterfs lustre beegfs gpfs vboxsf virtiofs sshfs drvfs")
            .split(" "));

    private FilePlace() {}

    static Finding finding(String file) {
        try {
            return finding(file, Files.getFileStore(Path.of(file)).type());
        } catch (IOException | InvalidPathException e) {
            return Checks.note(
                    "file", file + " could not be examined: " + e, "See that it is on a disk of this machine");
        }
    }

    /** A file on a file system of this type. */
    static Finding finding(String file, String type) {
        String system = type.toLowerCase(Locale.ROOT).replaceFirst("^fuse\\.", "");
        return REMOTE.contains(system) || file.startsWith("\\\\")
                ? new Finding(
                        Level.ERROR,
                        "file",
                        file + " is on a network (" + type
                                + "): its locks do not hold among machines, and it may be damaged",
                        "Keep the file on a disk of this machine; for several machines use a database with a server")
                : Checks.ok("file", file + " (" + type + ")");
    }
}
