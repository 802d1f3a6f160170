package dev.dibs.cdi;

import com.arjuna.ats.arjuna.common.CoordinatorEnvironmentBean;
import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.internal.arjuna.objectstore.VolatileStore;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.narayana.NarayanaTransactionIntegration;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.SQLException;
import java.time.Duration;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/** The data source of an application with transactions: Agroal with Narayana, as Quarkus has it. */
class Pool {

    static {
        for (String store : new String[] {null, "communicationStore", "stateStore"}) {
            BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store)
                    .setObjectStoreType(VolatileStore.class.getName());
        }
        CoordinatorEnvironmentBean coordinator = arjPropertyManager.getCoordinatorEnvironmentBean();
        // It would listen on a port.
        coordinator.setTransactionStatusManagerEnable(false);
    }

    @Produces
    @Singleton
    AgroalDataSource dataSource(TransactionManager manager, TransactionSynchronizationRegistry registry)
            throws SQLException {
        Config config = ConfigProvider.getConfig();
        return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                .metricsEnabled()
                .connectionPoolConfiguration(pool -> pool.maxSize(
                                config.getOptionalValue("db.connections", Integer.class)
                                        .orElse(8))
                        .acquisitionTimeout(Duration.ofSeconds(30))
                        .transactionIntegration(new NarayanaTransactionIntegration(manager, registry))
                        .connectionFactoryConfiguration(connections -> connections
                                .autoCommit(config.getOptionalValue("db.autocommit", Boolean.class)
                                        .orElse(true))
                                .jdbcUrl(config.getValue("db.url", String.class))
                                .principal(new NamePrincipal(config.getValue("db.user", String.class))))));
    }

    void close(@Disposes AgroalDataSource dataSource) {
        dataSource.close();
    }

    static AgroalDataSource of(SeContainer application) {
        return application.select(AgroalDataSource.class).get();
    }
}
