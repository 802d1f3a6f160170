/** A process that uses all of Dibs at random, and records what it does and sees. */
package dev.dibs.fault.worker;
