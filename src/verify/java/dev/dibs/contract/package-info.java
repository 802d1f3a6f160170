/** What must hold on every database: one interface a capability, with the tests as default methods. */
package dev.dibs.contract;
