package dev.dibs.contract.support;

import org.junit.jupiter.api.Tag;

/** What a contract needs: a promise, on each database. */
@Tag("contract")
public abstract class ContractFixture extends Fixture {}
