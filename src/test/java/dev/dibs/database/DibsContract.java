package dev.dibs.database;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.contract.AcquireContract;
import dev.dibs.contract.ClaimContract;
import dev.dibs.contract.ClaimDoctorContract;
import dev.dibs.contract.ClaimFaultContract;
import dev.dibs.contract.ClaimKeyContract;
import dev.dibs.contract.ClaimPlanContract;
import dev.dibs.contract.ClaimRaceContract;
import dev.dibs.contract.CostContract;
import dev.dibs.contract.EventContract;
import dev.dibs.contract.FaultContract;
import dev.dibs.contract.FenceContract;
import dev.dibs.contract.GuardContract;
import dev.dibs.contract.LossContract;
import dev.dibs.contract.OwnerContract;
import dev.dibs.contract.PoolContract;
import dev.dibs.contract.ProcessContract;
import dev.dibs.contract.RaceContract;
import dev.dibs.contract.RangeClaimContract;
import dev.dibs.contract.RangeClaimRaceContract;
import dev.dibs.contract.RunContract;
import dev.dibs.contract.RunFaultContract;
import dev.dibs.contract.RunLossContract;
import dev.dibs.contract.RunRaceContract;
import dev.dibs.contract.SchemaContract;
import dev.dibs.contract.SideClaimContract;
import dev.dibs.contract.SideClaimRaceContract;
import dev.dibs.contract.WaitContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** All contracts, for one database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DibsContract
        implements AcquireContract,
                ClaimContract,
                ClaimDoctorContract,
                ClaimFaultContract,
                ClaimPlanContract,
                ClaimKeyContract,
                ClaimRaceContract,
                CostContract,
                EventContract,
                FaultContract,
                FenceContract,
                GuardContract,
                LossContract,
                OwnerContract,
                PoolContract,
                ProcessContract,
                RaceContract,
                RangeClaimContract,
                RangeClaimRaceContract,
                RunContract,
                RunFaultContract,
                RunLossContract,
                RunRaceContract,
                SchemaContract,
                SideClaimContract,
                SideClaimRaceContract,
                WaitContract {

    private final TestDatabase database =
            TestDatabases.get(getClass().getAnnotation(UsesDatabase.class).value());
    private HikariDataSource pool;

    @BeforeAll
    void open() {
        pool = database.pool(config -> config.setMaximumPoolSize(10));
        try (Dibs dibs = Dibs.on(pool)) {
            dibs.createSchema();
        }
    }

    @AfterAll
    void close() {
        pool.close();
    }

    @Override
    public TestDatabase database() {
        return database;
    }

    @Override
    public HikariDataSource pool() {
        return pool;
    }
}
