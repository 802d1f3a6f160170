package dev.dibs.demo;

/**
 * What came out of reading one file.
 *
 * @param verdict how it is
 * @param detail why, if it is not sound
 * @param bytes its size
 * @param entries how many entries were read in it, if it is an archive
 * @param sha1 of all its bytes, in hexadecimal; empty if it cannot be read
 * @param compared whether that was compared with a sidecar
 */
record FileReport(Verdict verdict, String detail, long bytes, int entries, String sha1, boolean compared) {

    /** How a file is. */
    enum Verdict {
        /** The file has the SHA-1 of its sidecar, if there is one, and every entry its CRC. */
        SOUND,
        /** The bytes are not what they were. */
        CORRUPT,
        /** Not to be judged: encrypted, packed in a way that Java does not know, or the sidecar holds no hash. */
        ODD,
        /** It has gone meanwhile, or may not be read. */
        UNREADABLE
    }
}
