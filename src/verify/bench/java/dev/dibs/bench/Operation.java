package dev.dibs.bench;

/** What is measured, once. */
interface Operation {
    void run() throws Exception;
}
