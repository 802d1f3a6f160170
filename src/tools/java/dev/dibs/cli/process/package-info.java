/** The command that runs under a lease: started, signalled, ended. */
@NullMarked
package dev.dibs.cli.process;

import org.jspecify.annotations.NullMarked;
