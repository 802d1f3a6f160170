package dev.dibs.internal;

import dev.dibs.Admin;
import dev.dibs.Capability;
import dev.dibs.DibsMXBean;
import dev.dibs.Finding;
import dev.dibs.LeaseInfo;
import dev.dibs.internal.schema.CapabilityNames;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.Names;
import dev.dibs.once.OnceInfo;
import dev.dibs.runs.RunStatus;
import dev.dibs.tokens.TokenCounts;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The operations for operators of one instance. Each goes to the part that can do it. */
record EngineAdmin(Engine engine) implements Admin {

    @Override
    public void createSchema(Capability... only) {
        engine.requireOpen();
        Set<String> capabilities = CapabilityNames.of(only);
        try {
            engine.schema().create(capabilities);
        } catch (SqlFailure e) {
            throw engine.errors().explainCreation(e, capabilities);
        }
    }

    @Override
    public void checkSchema(Capability... required) {
        engine.requireOpen();
        try {
            engine.schema().check(CapabilityNames.of(required));
        } catch (SqlFailure e) {
            throw engine.errors().explain(e);
        }
    }

    @Override
    public List<Finding> doctor() {
        engine.requireOpen();
        return engine.errors().explained(engine.doctor()::examine);
    }

    @Override
    public String database() {
        engine.requireOpen();
        return engine.doctor().place();
    }

    @Override
    public List<LeaseInfo> locks() {
        return engine.register().locks();
    }

    @Override
    public Optional<LeaseInfo> breakLock(String name) {
        return engine.register().breakLock(Names.check("name", name));
    }

    @Override
    public List<LeaseInfo> leases() {
        return engine.register().leases();
    }

    @Override
    public List<LeaseInfo> allLeases() {
        return engine.register().allLeases();
    }

    @Override
    public List<LeaseInfo> breakLeases(String name, LeaseInfo.Kind... kinds) {
        return engine.register().breakLeases(Names.check("name", name), kinds);
    }

    @Override
    public List<OnceInfo> onces() {
        return engine.capabilities().onces().list();
    }

    @Override
    public List<RunStatus> runs() {
        return engine.capabilities().runs().list();
    }

    @Override
    public List<TokenCounts> tokenCounts() {
        return engine.capabilities().tokens().counts();
    }

    @Override
    public DibsMXBean statistics() {
        return engine.statistics();
    }

    @Override
    public String toString() {
        return "Admin[" + engine + "]";
    }
}
