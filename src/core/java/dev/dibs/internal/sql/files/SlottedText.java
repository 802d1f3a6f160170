package dev.dibs.internal.sql.files;

import java.util.List;

/** A text whose {@code ?} know their values by number: by the slots of one list of names. */
public final class SlottedText {

    private final SqlText text;
    private final int[] slots;
    private final boolean answersBeforeCommit;

    /**
     * Resolves a text of a statement.
     *
     * @param names what the slots hold
     */
    SlottedText(String statement, SqlText text, List<String> names, Features features) {
        this.text = text;
        this.slots = new int[text.parameters().size()];
        this.answersBeforeCommit = features.answersBeforeCommit() && text.returnsChanges();
        for (int i = 0; i < slots.length; i++) {
            String parameter = text.parameters().get(i);
            slots[i] = names.indexOf(parameter);
            if (slots[i] < 0) {
                throw new IllegalArgumentException("statement '" + statement + "' uses :" + parameter
                        + ", which its caller does not offer; it offers " + names);
            }
        }
    }

    public SqlText text() {
        return text;
    }

    /** The number of {@code ?}. */
    public int size() {
        return slots.length;
    }

    /** The slot of a {@code ?}, counted from 0. */
    public int slot(int marker) {
        return slots[marker];
    }

    /** Whether its rows can arrive before a commit that can still fail. */
    public boolean answersBeforeCommit() {
        return answersBeforeCommit;
    }
}
