package dev.dibs.spring.integration;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.process.ChildPool;
import java.time.Duration;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** A candidate of Spring Integration in a process of its own. */
final class InitiatorMain {

    private InitiatorMain() {}

    /** Arguments: url, user, password, role, lease. Stops at the first line of input. */
    public static void main(String[] args) throws Exception {
        try (HikariDataSource pool = ChildPool.open(args, 4);
                Dibs dibs =
                        Dibs.builder(pool).leaseLength(Duration.parse(args[4])).build()) {
            DibsLockRegistry registry = new DibsLockRegistry(dibs, "leaders");
            LockRegistryLeaderInitiator initiator =
                    new LockRegistryLeaderInitiator(registry, new DefaultCandidate("", args[3]) {
                        @Override
                        public void onGranted(Context context) {
                            System.out.println("GRANTED "
                                    + registry.obtain(args[3])
                                            .lease()
                                            .orElseThrow()
                                            .fencingToken());
                        }

                        @Override
                        public void onRevoked(Context context) {
                            System.out.println("REVOKED");
                        }
                    });
            initiator.setHeartBeatMillis(100);
            initiator.start();
            System.out.println("READY");
            int unused = System.in.read();
            initiator.stop();
            initiator.destroy();
            System.out.println("STOPPED");
        }
    }
}
