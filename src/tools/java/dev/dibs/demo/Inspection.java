package dev.dibs.demo;

import dev.dibs.demo.FileReport.Verdict;
import dev.dibs.demo.Message.Word;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.zip.ZipException;

/** A worker's work on each row: reads the file, and writes the result in the transaction that completes the row. */
final class Inspection {

    private static final int LONGEST_TEXT = 500;
    private static final long LINGER_MILLIS = 50;

    private final Path root;
    private final Store store;
    private final String worker;
    private final Orders orders;

    Inspection(WorkerArguments arguments, Store store, Orders orders) {
        this.root = arguments.root();
        this.worker = arguments.name();
        this.store = store;
        this.orders = orders;
    }

    /** A corrupt file is an error: the run tries it again, and finally gives it up. */
    void process(Job job, Connection transaction) throws SQLException, ZipException {
        FileReport report = FileCheck.check(root.resolve(job.path()));
        if (report.verdict() == Verdict.CORRUPT) {
            throw new ZipException(report.detail());
        }
        boolean lingered = lingerIfOrdered(job);
        store.update(
                transaction,
                "add_result",
                job.id(),
                worker,
                report.verdict().name(),
                shortened(report.detail()),
                report.bytes(),
                (long) report.entries(),
                report.compared() ? 1 : 0,
                report.sha1(),
                System.currentTimeMillis());
        if (lingered) {
            Message.say(Word.WROTE, job.id());
        }
    }

    /**
     * Stays with the file as long as the demo wants. An application would end here when it is interrupted, because the row is lost; here
     * the late write is meant to be tried.
     */
    private boolean lingerIfOrdered(Job job) {
        boolean lingered = false;
        while (orders.lingering()) {
            Message.say(Word.HOLDING, job.id());
            lingered = true;
            try {
                Thread.sleep(LINGER_MILLIS);
            } catch (InterruptedException e) {
                break;
            }
        }
        return lingered;
    }

    static String shortened(String text) {
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT);
    }
}
