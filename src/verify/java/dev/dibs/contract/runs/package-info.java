/** Contracts of runs. */
package dev.dibs.contract.runs;
