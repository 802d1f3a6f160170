/** Says which indexes claims on a user's table need. It reads the user's condition and order, and the catalog. */
@NullMarked
package dev.dibs.advice;

import org.jspecify.annotations.NullMarked;
