package dev.dibs.demo;

/**
 * The result of reading one file.
 *
 * @param verdict its state
 * @param detail why, if it is not sound
 * @param bytes its size
 * @param entries how many entries were read in it, if it is an archive
 * @param sha1 of all its bytes, in hexadecimal; empty if it cannot be read
 * @param compared whether that was compared with a sidecar
 */
record FileReport(Verdict verdict, String detail, long bytes, int entries, String sha1, boolean compared) {

    /** The state of a file. */
    enum Verdict {
        /** The file has the SHA-1 of its sidecar, if there is one, and every entry its CRC. */
        SOUND,
        /** The bytes have changed. */
        CORRUPT,
        /** Cannot be judged: encrypted, compressed in a way that Java does not know, or the sidecar holds no hash. */
        ODD,
        /** It was deleted, or may not be read. */
        UNREADABLE
    }
}
