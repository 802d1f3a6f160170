/** Tables and rights: made, checked, explained. Not exported. */
@NullMarked
package dev.dibs.internal.schema;

import org.jspecify.annotations.NullMarked;
