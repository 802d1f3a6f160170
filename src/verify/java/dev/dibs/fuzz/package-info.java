/** What nobody would write on purpose, made at random from a seed that is printed. */
package dev.dibs.fuzz;
