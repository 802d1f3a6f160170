/** The types of dibs.mjs, where everything is explained. Lengths and waits are milliseconds. */

/** A connection of pg or of mysql2/promise. */
export interface Connection {
  query: (...what: any[]) => any
  end: () => any
  on: (event: 'error', listener: (error: any) => void) => any
}

/** The key of a row, as the driver reads it; or as you write it: bytes also as hexadecimal digits or the text of a UUID. */
export type Key = number | bigint | string | Uint8Array

/** A row, as the driver reads it. */
export type Row = Record<string, any>

/** Keys of rows that were still ours and are changed, and of those that were not ours any more and were left alone. */
export interface Changed {
  done: Key[]
  lost: Key[]
}

/** The database could not be asked, or refused. `cause` has the driver's error. */
export class DibsError extends Error {}

/** Somebody else holds the lock, and held it for as long as the caller would wait. */
export class NotAcquired extends DibsError {
  readonly holder: string | null
  private constructor ()
}

/** The lease is over: it expired, or was taken over or broken. Roll back what was done under it. */
export class LeaseLost extends DibsError {
  private constructor ()
}

/** Rows of a claim are not ours any more, and perhaps somebody else's. */
export class ClaimLost extends DibsError {
  readonly keys: Key[]
  private constructor ()
}

export interface ClaimOptions {
  /** A unique column of whole numbers, texts or bytes; 'id' by default. */
  key?: string
  /** A column of at least 32 characters, NULL in a row that nobody has claimed; 'claimed_by' by default. */
  token?: string
  /** A bigint: until when a claim holds, in milliseconds by the database's clock; 'claimed_until' by default. */
  until?: string
  /** Which rows are to be done. A completed row must not match it any more. */
  where?: string
  /** In which order; by default that of the key. */
  order?: string
  /** What completing sets. Excludes `completeDelete`. */
  completeSet?: string
  completeDelete?: boolean
  /** How long a claim holds without being renewed: 100 milliseconds to a day. */
  lease?: number
}

/** Coordination through one database. Have one in a process. */
export class Dibs {
  /** `connect` opens a new connection each time. Give it time limits. */
  constructor (connect: () => Promise<Connection>, options?: { lease?: number, holder?: string })
  /** Makes the tables of locks and tokens that are not there. */
  createSchema (): Promise<void>
  /** A lock by name: 1 to 200 characters, compared exactly. */
  lock (name: string, options?: { lease?: number }): Lock
  /** Claims of rows of a table of yours. Looks at the table at once. */
  claims (table: string, options?: ClaimOptions): Promise<Claims>
  /** One-time tokens for a purpose. */
  tokens (purpose: string): Tokens
  /** Releases all leases and claims, and ends the timers. */
  close (): Promise<void>
}

export interface Lock {
  readonly name: string
  /** Does the work under the lock, and releases it. Throws LeaseLost if the lease was lost. */
  run<T> (options: { wait?: number } | undefined, work: (lease: Lease) => T | Promise<T>): Promise<T>
  /** The lease, or null if somebody else held the lock for as long as that. */
  tryAcquire (options?: { wait?: number }): Promise<Lease | null>
  /** The lease. Throws NotAcquired if somebody else held the lock for as long as that. */
  acquire (options?: { wait?: number }): Promise<Lease>
  /** The step before tryGuard, and before the transaction: waits until the lock looks free, and adds the row of a new name. */
  awaitFree (options?: { wait?: number }): Promise<boolean>
  /** Locks for a transaction of yours, which has begun, up to its end and without a lease. False: the lock is busy. */
  tryGuard (connection: Connection): Promise<boolean>
}

/** A lock that is held. Renewed in the background until it is released or lost. */
export interface Lease {
  readonly name: string
  /** Grows with every acquisition of the name. */
  readonly fence: number
  /** Whether the lease is held. Asks no database. */
  readonly valid: boolean
  /** For how many milliseconds nobody else can have the lock, even if no renewal gets through. */
  remaining (): number
  /** Throws LeaseLost if the lease is not held any more. */
  check (): void
  onLost (callback: (lost: LeaseLost) => void): void
  /** Joins a transaction of yours, which has begun: nobody gets the lock before it ends. */
  guard (connection: Connection): Promise<void>
  /** Returns whether the database has said that the lock was ours up to now. */
  release (): Promise<boolean>
}

/** Claims of rows of one table. */
export interface Claims {
  readonly table: string
  /** Does the work with up to n rows, and releases those that it has not completed. */
  run<T> (n: number, work: (claim: Claim) => T | Promise<T>): Promise<T>
  /** Up to n free rows, in order; none if nothing is free. */
  claim (n: number): Promise<Claim>
}

/** Rows that are claimed. Renewed in the background until they are completed, released or lost. */
export interface Claim {
  readonly token: string
  readonly rows: Row[]
  readonly keys: Key[]
  /** The keys of the rows that are certainly still ours. Asks no database. */
  readonly held: Key[]
  /** Whether no row was lost, and those that are left are certainly still ours. Asks no database. */
  readonly valid: boolean
  remaining (): number
  /** Throws ClaimLost if rows were lost. */
  check (): void
  onLost (callback: (lost: ClaimLost) => void): void
  renew (): Promise<Changed>
  /** Completes rows: all that are left, or these. */
  complete (keys?: Iterable<Key>): Promise<Changed>
  /** The same in a transaction of yours: if and only if that commits. */
  completeIn (connection: Connection, keys?: Iterable<Key>): Promise<Changed>
  /** Gives rows back: all that are left, or these. */
  release (keys?: Iterable<Key>): Promise<Changed>
  /** Releases the rows that are left. Never throws. */
  close (): Promise<void>
}

export interface Tokens {
  readonly purpose: string
  /** A new token for a subject, 43 characters. */
  issue (subject: string, options: { ttl: number, payload?: string | null }): Promise<string>
  /** Uses a token up: `ok` for exactly one caller. What is no token is `unknown`. */
  consume (token: string | null | undefined): Promise<Token>
}

/** What came of a token that was shown. `subject` is not known of an unknown token, `payload` is that of an `ok` one. */
export interface Token {
  status: 'ok' | 'used' | 'expired' | 'revoked' | 'unknown'
  subject?: string
  payload?: string | null
}
