package dev.dibs.demo;

/**
 * What came out of reading one jar.
 *
 * @param jar its file name
 * @param verdict how it is
 * @param detail why, if it is not sound
 * @param bytes its size
 * @param entries how many of its entries were read
 * @param compared whether its SHA-1 was compared with a sidecar
 */
record JarReport(String jar, Verdict verdict, String detail, long bytes, int entries, boolean compared) {

    /** How a jar is. */
    enum Verdict {
        /** Every entry has its CRC, and the file its SHA-1. */
        SOUND,
        /** The bytes are not what they were. */
        CORRUPT,
        /** Not to be judged: encrypted, packed in a way that Java does not know, or the sidecar holds no hash. */
        ODD,
        /** It has gone meanwhile, or may not be read. */
        UNREADABLE
    }
}
