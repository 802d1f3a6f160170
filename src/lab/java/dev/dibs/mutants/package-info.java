/** Breaks the statements on purpose, one condition at a time, and checks whether the contracts notice: {@code mvn -Pmutants verify}. */
package dev.dibs.mutants;
