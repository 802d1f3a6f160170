package dev.dibs.console;

/** A page of the console: its address, its link, and its answer to a visitor. {@link Pages} has the list of all pages. */
interface Page {

    /** The address, relative to the console; empty for the first page. */
    String path();

    /** The text of its link in the head of every page; empty if it has no link there. */
    default String label() {
        return "";
    }

    /** The address whose link is the current one while this page is shown. */
    default String under() {
        return path();
    }

    /** The page, or its JSON for a program. */
    Answer answer(PageRequest request);
}
