/** What goes wrong between processes: JVMs that are killed or paused, networks that swallow, delay or cut. */
package dev.dibs.fault;
