/** Contracts that look at every statement: its plan, its cost, and that it waits for nobody. */
package dev.dibs.contract.statements;
