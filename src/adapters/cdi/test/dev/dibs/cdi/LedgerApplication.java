package dev.dibs.cdi;

import dev.dibs.process.LingeringCall;
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
        return Applications.start(Map.of("db.url", url, "db.user", user, "dibs.lease-length", lease), Ledger.class);
    }

    /** {@link LingeringCall}, with leases that a test can wait for. Arguments: url, user, the account. */
    public static void main(String[] arguments) throws Exception {
        int account = Integer.parseInt(arguments[2]);
        try (WeldContainer application = startWith("2s", arguments[0], arguments[1])) {
            Ledger ledger = application.select(Ledger.class).get();
            LingeringCall.run(middle -> ledger.add(account, middle::reached));
        }
    }
}
