/** What the parts of one instance share: connections, threads, retries. Not exported. */
@NullMarked
package dev.dibs.internal.instance;

import org.jspecify.annotations.NullMarked;
