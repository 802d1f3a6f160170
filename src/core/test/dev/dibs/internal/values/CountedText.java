package dev.dibs.internal.values;

/** Fails when its characters have been read too often. */
public final class CountedText implements CharSequence {

    private static final long MOST_LOOKS = 80;

    private final String text;
    private long looks;

    /** No character has been read. */
    public CountedText(String text) {
        this.text = text;
    }

    private void count(int characters) {
        looks += characters;
        if (looks > MOST_LOOKS * text.length()) {
            throw new AssertionError("each character is looked at more than " + MOST_LOOKS + " times");
        }
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public char charAt(int index) {
        count(1);
        return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        count(end - start);
        return text.substring(start, end);
    }

    @Override
    public String toString() {
        count(text.length());
        return text;
    }
}
