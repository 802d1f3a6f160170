package dev.dibs.database;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.contract.AcquireContract;
import dev.dibs.contract.ChangedRowContract;
import dev.dibs.contract.ClaimBetweenStepsContract;
import dev.dibs.contract.ClaimContract;
import dev.dibs.contract.ClaimDoctorContract;
import dev.dibs.contract.ClaimFaultContract;
import dev.dibs.contract.ClaimKeyContract;
import dev.dibs.contract.ClaimPlanContract;
import dev.dibs.contract.ClaimRaceContract;
import dev.dibs.contract.CoalesceContract;
import dev.dibs.contract.CoalesceRaceContract;
import dev.dibs.contract.CodeContract;
import dev.dibs.contract.CompletionCoalesceContract;
import dev.dibs.contract.CostContract;
import dev.dibs.contract.EngineRaceContract;
import dev.dibs.contract.EventContract;
import dev.dibs.contract.FairContract;
import dev.dibs.contract.FaultContract;
import dev.dibs.contract.FenceContract;
import dev.dibs.contract.ForgetOnceContract;
import dev.dibs.contract.GateStatementContract;
import dev.dibs.contract.GateStepsContract;
import dev.dibs.contract.GuardContract;
import dev.dibs.contract.HoldContract;
import dev.dibs.contract.HoldersContract;
import dev.dibs.contract.HostileNameContract;
import dev.dibs.contract.LeadershipContract;
import dev.dibs.contract.LeaseBetweenStepsContract;
import dev.dibs.contract.LettingGoContract;
import dev.dibs.contract.LockAllBetweenStepsContract;
import dev.dibs.contract.LockAllContract;
import dev.dibs.contract.LockAllRaceContract;
import dev.dibs.contract.LossContract;
import dev.dibs.contract.NoWaitContract;
import dev.dibs.contract.OldSnapshotContract;
import dev.dibs.contract.OnceContract;
import dev.dibs.contract.OnceRaceContract;
import dev.dibs.contract.OwnerContract;
import dev.dibs.contract.PermitStatementContract;
import dev.dibs.contract.PoolContract;
import dev.dibs.contract.ProcessContract;
import dev.dibs.contract.RaceContract;
import dev.dibs.contract.RangeClaimContract;
import dev.dibs.contract.RangeClaimRaceContract;
import dev.dibs.contract.RangeClaimSearchContract;
import dev.dibs.contract.RangeStatementContract;
import dev.dibs.contract.ReadWriteBetweenStepsContract;
import dev.dibs.contract.ReadWriteContract;
import dev.dibs.contract.ReadWriteFaultContract;
import dev.dibs.contract.ReadWriteGuardContract;
import dev.dibs.contract.ReadWriteRaceContract;
import dev.dibs.contract.RetakeContract;
import dev.dibs.contract.RunContract;
import dev.dibs.contract.RunFaultContract;
import dev.dibs.contract.RunLossContract;
import dev.dibs.contract.RunRaceContract;
import dev.dibs.contract.RunStatementContract;
import dev.dibs.contract.SchemaContract;
import dev.dibs.contract.SemaphoreBetweenStepsContract;
import dev.dibs.contract.SemaphoreContract;
import dev.dibs.contract.SemaphoreRaceContract;
import dev.dibs.contract.SideClaimContract;
import dev.dibs.contract.SideClaimLockContract;
import dev.dibs.contract.SideClaimRaceContract;
import dev.dibs.contract.SideStatementContract;
import dev.dibs.contract.StaleClaimContract;
import dev.dibs.contract.StatementPlanContract;
import dev.dibs.contract.StrangerContract;
import dev.dibs.contract.ThreadLockContract;
import dev.dibs.contract.TokenAnswerContract;
import dev.dibs.contract.TokenBetweenStepsContract;
import dev.dibs.contract.TokenCoalesceContract;
import dev.dibs.contract.TokenContract;
import dev.dibs.contract.TokenFaultContract;
import dev.dibs.contract.TokenInputContract;
import dev.dibs.contract.TokenPruneContract;
import dev.dibs.contract.TokenRaceContract;
import dev.dibs.contract.TokenStatementContract;
import dev.dibs.contract.ToleranceContract;
import dev.dibs.contract.ValueContract;
import dev.dibs.contract.WaitContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** All contracts, for one database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DibsContract
        implements AcquireContract,
                ClaimBetweenStepsContract,
                ChangedRowContract,
                ClaimContract,
                ClaimDoctorContract,
                ClaimFaultContract,
                ClaimPlanContract,
                ClaimKeyContract,
                CoalesceContract,
                CoalesceRaceContract,
                ClaimRaceContract,
                CodeContract,
                CompletionCoalesceContract,
                CostContract,
                EngineRaceContract,
                EventContract,
                FairContract,
                FaultContract,
                FenceContract,
                GateStatementContract,
                GateStepsContract,
                GuardContract,
                HoldContract,
                HostileNameContract,
                HoldersContract,
                LeadershipContract,
                LeaseBetweenStepsContract,
                LettingGoContract,
                LockAllContract,
                LockAllBetweenStepsContract,
                LockAllRaceContract,
                LossContract,
                NoWaitContract,
                OldSnapshotContract,
                OnceContract,
                ForgetOnceContract,
                OnceRaceContract,
                OwnerContract,
                PermitStatementContract,
                PoolContract,
                ProcessContract,
                RaceContract,
                RangeClaimContract,
                RangeClaimSearchContract,
                RangeClaimRaceContract,
                RangeStatementContract,
                ReadWriteContract,
                ReadWriteBetweenStepsContract,
                ReadWriteFaultContract,
                ReadWriteGuardContract,
                ReadWriteRaceContract,
                RetakeContract,
                RunContract,
                RunFaultContract,
                RunLossContract,
                RunRaceContract,
                RunStatementContract,
                SchemaContract,
                SemaphoreContract,
                SemaphoreBetweenStepsContract,
                SemaphoreRaceContract,
                SideClaimLockContract,
                SideClaimContract,
                SideClaimRaceContract,
                SideStatementContract,
                StaleClaimContract,
                StatementPlanContract,
                StrangerContract,
                ThreadLockContract,
                TokenAnswerContract,
                TokenBetweenStepsContract,
                TokenCoalesceContract,
                TokenContract,
                TokenFaultContract,
                TokenInputContract,
                TokenPruneContract,
                TokenRaceContract,
                TokenStatementContract,
                ToleranceContract,
                ValueContract,
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
