package dev.dibs.bench;

/** One measured operation. */
interface Operation {
    void run() throws Exception;
}
