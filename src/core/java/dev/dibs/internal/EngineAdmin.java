package dev.dibs.internal;

import dev.dibs.Admin;
import dev.dibs.Capability;
import dev.dibs.DibsMXBean;
import dev.dibs.Finding;
import dev.dibs.LeaseInfo;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.schema.Doctor;
import dev.dibs.internal.schema.Schema;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Names;
import dev.dibs.internal.values.Strings;
import dev.dibs.once.OnceInfo;
import dev.dibs.runs.RunStatus;
import dev.dibs.tokens.TokenCounts;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The operations for operators of one instance. Each goes to the part that can do it. */
record EngineAdmin(Context context, Doctor examiner, Capabilities capabilities, DibsMXBean statistics)
        implements Admin {

    @Override
    public void createSchema(Capability... only) {
        context.requireOpen();
        Set<String> capabilities = Schema.names(only);
        try {
            context.schema().create(capabilities);
        } catch (SqlFailure e) {
            throw context.errors().explainCreation(e, capabilities);
        }
    }

    @Override
    public List<String> missingSchema(Capability... only) {
        return context.ask(() -> context.schema().pendingDdl(Schema.names(only)));
    }

    @Override
    public void checkSchema(Capability... required) {
        boolean unused = context.ask(() -> {
            context.schema().check(Schema.names(required));
            return true;
        });
    }

    @Override
    public List<Finding> doctor() {
        return context.ask(() -> examiner.examine(capabilities.parts()));
    }

    @Override
    public String database() {
        context.requireOpen();
        return examiner.place();
    }

    @Override
    public List<LeaseInfo> locks() {
        return capabilities.locks().register.locks();
    }

    @Override
    public Optional<LeaseInfo> breakLock(String name) {
        return capabilities.locks().register.breakLock(Names.check("name", name));
    }

    @Override
    public List<LeaseInfo> leases() {
        return capabilities.locks().register.leases();
    }

    @Override
    public List<LeaseInfo> allLeases() {
        return capabilities.locks().register.allLeases();
    }

    @Override
    public List<LeaseInfo> waiters() {
        return capabilities.locks().register.waiters();
    }

    @Override
    public List<LeaseInfo> breakLeases(String name, LeaseInfo.Kind... kinds) {
        return capabilities.locks().register.breakLeases(Names.check("name", name), kinds);
    }

    @Override
    public boolean breakLease(LeaseInfo lease) {
        return capabilities.locks().register.breakLease(Arguments.required("lease", lease));
    }

    @Override
    public List<OnceInfo> onces() {
        return capabilities.onces().list();
    }

    @Override
    public List<RunStatus> runs() {
        return capabilities.runs().list();
    }

    @Override
    public List<TokenCounts> tokenCounts() {
        return capabilities.tokens().counts();
    }

    @Override
    public String toString() {
        return "Admin[" + Strings.escape(context.holder()) + "]";
    }
}
