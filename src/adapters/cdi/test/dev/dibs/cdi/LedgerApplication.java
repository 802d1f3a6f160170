package dev.dibs.cdi;

import java.util.Map;
import org.jboss.weld.environment.se.WeldContainer;

/** An application that changes a balance, in this process or in another one. */
final class LedgerApplication {

    private LedgerApplication() {}

    static WeldContainer start(String url, String user) {
        return Applications.start(
                Map.of("db.url", url, "db.user", user, "dibs.lease-length", "2s"), Ledger.class, BeforeGuard.class);
    }

    /**
     * Arguments: url, user, the account, and for how long each call lingers, in milliseconds. Prints INSIDE in each call and DONE after it,
     * and rests for as long: a lock that is not fair promises nothing to those who wait beside a holder that never does.
     */
    public static void main(String[] arguments) throws Exception {
        int account = Integer.parseInt(arguments[2]);
        long lingering = Long.parseLong(arguments[3]);
        try (WeldContainer application = start(arguments[0], arguments[1])) {
            Ledger ledger = application.select(Ledger.class).get();
            while (true) {
                ledger.add(account, () -> {
                    System.out.println("INSIDE");
                    Thread.sleep(lingering);
                });
                System.out.println("DONE");
                Thread.sleep(lingering);
            }
        }
    }
}
