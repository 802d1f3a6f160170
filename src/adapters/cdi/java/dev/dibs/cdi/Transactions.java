package dev.dibs.cdi;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.BeanContainer;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.jspecify.annotations.Nullable;

/** The transactions of the thread. An application without a transaction manager has none. Safe for use by any thread. */
@ApplicationScoped
class Transactions {

    /** What this class asks a transaction manager for: no signature has a class that an application may lack. */
    private interface Manager {

        boolean isThere();

        void setRollbackOnly();
    }

    @Inject
    BeanContainer beans;

    private @Nullable Manager manager;

    @PostConstruct
    void find() {
        manager = isKnown() ? OfJta.find(beans) : null;
    }

    private static boolean isKnown() {
        try {
            Class.forName(MethodRules.TRANSACTIONAL, false, Transactions.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Whether the thread has one, even if it can only be rolled back. */
    boolean isThere() {
        return manager != null && manager.isThere();
    }

    /** Sees to it that the transaction cannot commit. */
    void setRollbackOnly(Throwable why) {
        try {
            if (manager != null) {
                manager.setRollbackOnly();
            }
        } catch (RuntimeException e) {
            why.addSuppressed(e);
        }
    }

    /** Loaded only by an application that has the API of transactions. */
    private record OfJta(TransactionSynchronizationRegistry registry) implements Manager {

        /** Where Jakarta EE has it. */
        private static final String JNDI = "java:comp/TransactionSynchronizationRegistry";

        @SuppressWarnings("BanJNDI") // the name is constant
        static @Nullable Manager find(BeanContainer beans) {
            Instance<TransactionSynchronizationRegistry> found =
                    beans.createInstance().select(TransactionSynchronizationRegistry.class);
            if (found.isResolvable()) {
                return new OfJta(found.get());
            }
            try {
                return new OfJta((TransactionSynchronizationRegistry) new InitialContext().lookup(JNDI));
            } catch (NamingException e) {
                return null;
            }
        }

        @Override
        public boolean isThere() {
            return registry.getTransactionStatus() != Status.STATUS_NO_TRANSACTION;
        }

        @Override
        public void setRollbackOnly() {
            registry.setRollbackOnly();
        }
    }
}
