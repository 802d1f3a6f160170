/** Random texts that nobody would write on purpose; their seed is printed. */
package dev.dibs.fuzz;
