package dev.dibs.internal.time;

/** The state of a lease at a moment: running, or over. It goes from one {@link Term} to the next and ends once, for ever. */
public sealed interface LeaseState permits Term, LeaseState.End {

    /** For people. */
    String text();

    enum End implements LeaseState {
        RELEASED("released"),
        LOST("lost"),
        /** Released by the close of its Dibs, perhaps while its holder still works. */
        CUT("closed with its Dibs");

        private final String text;

        End(String text) {
            this.text = text;
        }

        @Override
        public String text() {
            return text;
        }
    }
}
