/** What contracts of several packages share. */
package dev.dibs.contract.support;
