/**
 * Claims on the rows of any table; {@code Dibs.claims(..)} is the entry point.
 *
 * <pre>{@code
 * RowClaims<Mail> mails = dibs.claims("mail").key("id").token("claimed_by").until("claimed_until")
 *         .where("sent_at IS NULL").completeSet("sent_at = CURRENT_TIMESTAMP").build(Mail::read);
 * try (Claim<Mail> claim = mails.claim(10)) {               // up to ten rows that nobody else gets
 *     for (KeyedRow<Mail> mail : claim.rows()) {
 *         send(mail.row());
 *         claim.complete(List.of(mail.key()));
 *     }
 * }
 * }</pre>
 */
@NullMarked
package dev.dibs.claims;

import org.jspecify.annotations.NullMarked;
