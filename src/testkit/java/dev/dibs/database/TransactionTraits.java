package dev.dibs.database;

import com.zaxxer.hikari.HikariConfig;
import java.util.List;

/** The part of {@link Traits} about the transactions that work of a user runs in. */
abstract class TransactionTraits {

    /** Texts that end the transaction and do not begin with that; # is a table with a number. */
    public List<String> hiddenEnds() {
        return List.of(
                "UPDATE # SET num = num; COMMIT; UPDATE # SET num = num",
                "SELECT 1; COMMIT",
                "SELECT ';'; COMMIT",
                "SELECT 1 /* ; */ ; -- x\n COMMIT",
                "SELECT 'it''s'; COMMIT",
                "SELECT '; -- '; COMMIT",
                "SELECT '; /*'; COMMIT; SELECT '*/ SELECT'",
                "DELETE FROM # WHERE num = 9; ROLLBACK",
                "WITH x AS (SELECT 1 AS n) SELECT * FROM x; COMMIT");
    }

    /** Statements, besides the usual ones, that neither end a transaction nor fail; # is a table with a number. */
    public List<String> harmlessStatements() {
        return List.of();
    }

    /** A procedure that ends the transaction and begins another one: its definition, and its call; none if there is no such thing. */
    public List<String> endingProcedure() {
        return List.of();
    }

    /** Lets the driver send several statements in one text. */
    public void sendSeveral(HikariConfig config) {}

    /** Whether it takes such a text in a batch. */
    public boolean batchesSeveral() {
        return true;
    }

    /** Whether a transaction above READ COMMITTED may have a snapshot from before the lock of its first statement. */
    public boolean snapshotsPrecedeLocks() {
        return false;
    }

    /** The isolations above READ COMMITTED. */
    public List<String> higherIsolations() {
        return List.of("TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE");
    }

    /** Settings of a session under which more errors end the transaction. */
    public List<String> strictModes() {
        return List.of();
    }
}
