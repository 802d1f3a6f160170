package dev.dibs.pages;

import dev.dibs.Dibs;
import javax.sql.DataSource;

/** What every reader has around the code of a page. It is compiled with the blocks, and never run. */
public class Reader {

    protected static Dibs dibs;
    protected static DataSource dataSource;

    protected static boolean here() {
        return true;
    }
}
