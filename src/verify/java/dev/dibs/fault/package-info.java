/** Faults between processes: JVMs that are killed or paused, networks that drop, delay or cut. */
package dev.dibs.fault;
