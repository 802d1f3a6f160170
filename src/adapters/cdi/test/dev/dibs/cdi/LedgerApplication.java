package dev.dibs.cdi;

import dev.dibs.LeaseLostException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jboss.weld.environment.se.WeldContainer;

/** An application that changes a balance, in this process or in another one. */
final class LedgerApplication {

    private LedgerApplication() {}

    /** With leases that outlast a test. */
    static WeldContainer start(String url, String user) {
        return startWith("5m", url, user);
    }

    private static WeldContainer startWith(String lease, String url, String user) {
        return Applications.start(
                Map.of("db.url", url, "db.user", user, "dibs.lease-length", lease), Ledger.class, BeforeGuard.class);
    }

    /**
     * With leases that a test can wait for. Arguments: url, user, the account, and for how long each call lingers, in milliseconds; 0: until
     * a line of input comes. Prints INSIDE in each call and DONE after it, and rests for as long: a lock that is not fair promises nothing to
     * those who wait beside a holder that never does.
     */
    public static void main(String[] arguments) throws Exception {
        int account = Integer.parseInt(arguments[2]);
        long lingering = Long.parseLong(arguments[3]);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (WeldContainer application = startWith("2s", arguments[0], arguments[1])) {
            Ledger ledger = application.select(Ledger.class).get();
            while (true) {
                try {
                    ledger.add(account, () -> {
                        System.out.println("INSIDE");
                        if (lingering == 0) {
                            input.readLine();
                        } else {
                            Thread.sleep(lingering);
                        }
                    });
                    System.out.println("DONE");
                } catch (LeaseLostException e) {
                    System.out.println("LOST, since this process stood still");
                }
                Thread.sleep(lingering);
            }
        }
    }
}
