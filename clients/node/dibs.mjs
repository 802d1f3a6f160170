/**
 * Locks, claims of rows and one-time tokens in the database that you already have.
 *
 * One file, no dependency but the driver: pg (PostgreSQL), or mysql2/promise (MariaDB). It shares its tables with Dibs for Java and with any
 * other program that keeps the protocol, docs/lab/protocol.md. Lengths and waits are milliseconds.
 *
 *     import pg from 'pg'
 *     import { Dibs } from './dibs.mjs'
 *
 *     const store = new Dibs(async () => {
 *       const client = new pg.Client({ database: 'shop' })
 *       await client.connect()
 *       return client
 *     })
 *     await store.createSchema()
 *
 *     await store.lock('nightly-export').run({ wait: 10_000 }, async lease => {
 *       await client.query('BEGIN')          // a connection of yours
 *       await lease.guard(client)            // nobody gets the lock before this commits
 *       ...
 *     })
 *
 *     const mails = await store.claims('mails', { where: 'sent_at IS NULL', completeSet: 'sent_at = CURRENT_TIMESTAMP' })
 *     await mails.run(10, async claim => {   // ten rows that nobody else gets
 *       for (const mail of claim.rows) {
 *         await send(mail)
 *         await claim.complete([mail.id])
 *       }
 *     })
 *
 * Leases and claims are renewed by timers, so a blocked event loop does not renew them. `valid`, `lease.guard` and `claim.complete` are right all
 * the same.
 */

import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

const RENEWED_AT_ONCE = 1000
const LOOK_UPS = 5
const TRIES = 3
const KNOWN = 1000
const KNOWN_MILLIS = 60_000
const LONGEST_RETRY = 1000
const LONGEST_CHANGE = 10_000
const LARGEST_CLAIM = 10_000
/** For how long a claim that was not answered may still be on its way. */
const ABANDONED = 30_000
const DAY = 86_400_000

/** The database could not be asked, or refused. `cause` has the driver's error. */
export class DibsError extends Error {}

/** Somebody else holds the lock, and held it for as long as the caller would wait. */
export class NotAcquired extends DibsError {
  constructor (name, holder) {
    super(`'${name}' is held` + (holder ? ` by ${holder}` : ', or a transaction has it'))
    this.holder = holder
  }
}

/** The lease is over: it expired, or was taken over or broken. Roll back what was done under it. */
export class LeaseLost extends DibsError {
  constructor (name, fence, reason) {
    super(`the lease on '${name}' (fencing token ${fence}) is lost: ${reason}`)
  }
}

/** Rows of a claim are not ours any more, and perhaps somebody else's. `keys` has theirs. */
export class ClaimLost extends DibsError {
  constructor (table, keys, reason) {
    super(`claimed rows of ${table} are lost (${shown(keys)}): ${reason}`)
    this.keys = keys
  }
}

// --- time and arguments --------------------------------------------------------------------------------------------------------------------

/** By how much the wall clock must gain on the monotonic one before that counts: below the margin of every lease, above what reading costs. */
const NOTICED = 10
let asleep = 0
let lead = Date.now() - performance.now()

/**
 * Milliseconds, which never go back. The monotonic clock may stand still while the machine is suspended. So whatever the wall clock gains on it
 * counts as time that has passed, and what the wall clock loses, because somebody set it back, does not.
 */
function now () {
  const monotonic = performance.now()
  const gained = Date.now() - monotonic - lead
  if (gained > NOTICED) asleep += gained
  if (gained > NOTICED || gained < 0) lead += gained
  return monotonic + asleep
}

const sleep = millis => new Promise(resolve => setTimeout(resolve, millis))

/** For how long to believe in a lease: counted from before the statement was sent, less a margin. */
class Term {
  constructor (length) {
    this.sent = now()
    this.end = this.sent + length - Math.max(20, length / 100)
  }

  remaining () {
    return this.end - now()
  }
}

function checkMillis (what, millis, least, most) {
  if (!Number.isFinite(millis) || millis < least || millis > most) {
    throw new RangeError(`${what} is ${millis}; it must be ${least} to ${most} milliseconds`)
  }
  return Math.round(millis)
}

function checkText (what, text, most = 200) {
  if (typeof text !== 'string' || text.length === 0 || text.length > most) {
    throw new RangeError(`${what} must be a text of 1 to ${most} characters`)
  }
  if (/\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text)) {
    throw new RangeError(`${what} has a NUL character or a lone surrogate`)
  }
  return text
}

// --- databases -----------------------------------------------------------------------------------------------------------------------------

/** What is known of a statement that failed: it was undone and may be sent again, nothing is known, or it is refused. */
const RETRY = 'retry'
/** Undone, too; of a claim it is one of the caller's own making, and would be one again. */
const DUPLICATE = 'duplicate'
const UNKNOWN = 'unknown'
const REFUSED = 'refused'
const NOT_SENT = 'not sent'

class Failure extends Error {
  constructor (outcome, cause, statement = null) {
    const isMissing = typeof statement === 'string' && (cause?.code === '42P01' || cause?.errno === 1146)
    super(String(cause?.message ?? cause) + (isMissing ? "; createSchema() or the command 'dibs init' makes the tables" : ''), { cause })
    this.outcome = outcome
  }

  explained () {
    return new DibsError(this.message, { cause: this.cause })
  }
}

const postgres = {
  dialect: 'postgresql',
  quote: '"',
  // What a column of such a type is as a key, and how its type is written in a list of keys.
  keyTypes: {
    ...Object.fromEntries([20, 21, 23].map(type => [type, ['number', '']])),
    ...Object.fromEntries([25, 1043].map(type => [type, ['text', 'text']])),
    1042: ['text', 'bpchar'],
    17: ['binary', 'bytea']
  },
  char: 1042,
  bigint: 20,
  // What stands before the hexadecimal digits of a binary key.
  beforeHex: '\\x',
  rolledBack: new Set(['40001', '40P01', '55P03']),
  pairs: pairs => ({ names: pairs.map(pair => pair.name), owners: pairs.map(pair => pair.owner) }),

  /** Only in a transaction can there be a savepoint. A driver may not know: BEGIN and COMMIT may still be in its queue. */
  async isInTransaction (client) {
    try {
      await client.query('SAVEPOINT dibs_joins; RELEASE SAVEPOINT dibs_joins')
      return true
    } catch (error) {
      if (error.code === '25P01') return false
      throw error
    }
  },

  outcome (error) {
    // Only an error that the server has sent has a severity.
    const state = error.severity ? error.code : null
    if (this.rolledBack.has(state)) return RETRY
    if (state === '23505') return DUPLICATE
    return state === null || /^(08|57|58|XX)/.test(state) ? UNKNOWN : REFUSED
  },

  async send (client, sql, values) {
    const result = await client.query({ text: sql, values })
    return {
      rows: result.rows,
      count: result.rowCount ?? 0,
      columns: result.fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }))
    }
  }
}

const mariadb = {
  dialect: 'mariadb',
  quote: '`',
  keyTypes: {
    ...Object.fromEntries([1, 2, 3, 8, 9].map(type => [type, ['number', 'bigint']])),
    ...Object.fromEntries([253, 254].map(type => [type, ['text', '']])),
    binary: ['binary', ''],
    unsigned: ['number', 'bigint unsigned']
  },
  char: 254,
  bigint: 8,
  beforeHex: '',
  rolledBack: new Set([1205, 1213, 1020, 3572]),
  gone: new Set([1053, 1077, 1078, 1079, 1152, 1153, 1158, 1159, 1160, 1161, 1317, 1927]),
  pairs: pairs => ({ pairs: JSON.stringify(pairs) }),

  /** Before a connection of ours is used again after an error: an UPDATE of several tables may leave the transaction of its block open. */
  async putBack (connection) {
    await connection.query('ROLLBACK')
  },

  // A row that a guard finds, and then refuses, stays locked: nothing but its key may be read before.
  keepsRefusedRows: true,

  // Where the guard cannot tell. With autocommit on, BEGIN alone looks the same.
  async hasBegun (connection) {
    const { rows: [row] } = await this.send(connection, 'SELECT @@autocommit = 0 AND @@in_transaction = 1 AS begun', [])
    return Number(row.begun) === 1
  },

  async isInTransaction (connection) {
    const { rows: [row] } = await this.send(connection, 'SELECT @@autocommit = 0 OR @@in_transaction = 1 AS joins', [])
    return Number(row.joins) === 1
  },

  outcome (error) {
    const code = error.sqlState ? error.errno : 0
    if (this.rolledBack.has(code)) return RETRY
    if (code === 1062) return DUPLICATE
    return code < 1000 || (code >= 2000 && code < 3000) || this.gone.has(code) ? UNKNOWN : REFUSED
  },

  /** Bytes have the type of a text, and the character set "binary". The flag 32 is that of numbers without a sign. */
  typeOf ({ type, characterSet, flags }) {
    if (type === 8 && flags & 32) return 'unsigned'
    return [253, 254].includes(type) && characterSet === 63 ? 'binary' : type
  },

  /** A block has several results. A row is an object by the names of its columns, whatever the connection's rows are. */
  async send (connection, sql, values) {
    const [result, fields] = await connection.query({ sql, values, rowsAsArray: false, nestTables: false })
    const results = Array.isArray(result) && (Array.isArray(result[0]) || 'affectedRows' in (result[0] ?? {})) ? result : [result]
    return {
      rows: results.filter(Array.isArray).flat(),
      count: results.reduce((sum, one) => sum + (Array.isArray(one) ? 0 : one.affectedRows), 0),
      columns: [fields].flat(2).filter(Boolean).map(field => ({ name: field.name, type: this.typeOf(field) }))
    }
  }
}

/** Of pg a query gives rows, of mysql2 a pair; only a mysql2 connection can `execute`. */
const databaseOf = connection => typeof connection.execute === 'function' ? mariadb : postgres

/** Runs all steps of a statement on one connection: one that has a name, or steps. */
async function runOn (database, connection, statement, parameters) {
  const all = { rows: [], count: 0, columns: [] }
  try {
    for (const step of typeof statement === 'string' ? STATEMENTS[database.dialect][statement] : statement) {
      if (step.when === 'if no row so far' && all.rows.length) continue
      const { rows, count, columns } = await database.send(connection, step.sql, step.binds.map(bind => parameters[bind]))
      for (const row of rows) all.rows.push(row)
      all.count += count
      all.columns.push(...columns)
    }
  } catch (error) {
    throw new Failure(database.outcome(error), error, statement)
  }
  return all
}

/** Runs a statement in a transaction of the caller's. Throws RangeError if none has begun: the statement would be a transaction of its own. */
async function joinOn (connection, what, statement, parameters) {
  const database = databaseOf(connection)
  let joins
  try {
    joins = await database.isInTransaction(connection)
  } catch (error) {
    throw new Failure(database.outcome(error), error)
  }
  if (!joins) throw new RangeError(`${what} needs a transaction that has begun: send BEGIN first, over this one connection and not over a pool`)
  return (await runOn(database, connection, statement, parameters)).rows
}

/** Connections of our own, each used for one statement at a time. */
class Connections {
  constructor (connect) {
    this.connect = connect
    this.idle = []
  }

  async open () {
    try {
      const connection = await this.connect()
      // Without a listener the loss of an idle connection would end the process.
      connection.on('error', () => { this.idle = this.idle.filter(one => one !== connection) })
      this.database = databaseOf(connection)
      return connection
    } catch (error) {
      throw new Failure(NOT_SENT, error)
    }
  }

  async run (statement, parameters = {}) {
    const connection = this.idle.pop() ?? await this.open()
    try {
      const result = await runOn(this.database, connection, statement, parameters)
      this.idle.push(connection)
      return result
    } catch (failure) {
      try {
        if (![RETRY, DUPLICATE, REFUSED].includes(failure.outcome)) throw failure
        await this.database.putBack?.(connection)
        this.idle.push(connection)
      } catch {
        this.end(connection)
      }
      throw failure
    }
  }

  end (connection) {
    Promise.resolve(connection.end()).catch(() => {})
  }

  /** The database, once a connection has told which it is. */
  async known () {
    if (!this.database) this.idle.push(await this.open())
    return this.database
  }

  /** The (name, owner) pairs as this database takes them. */
  async pairs (pairs) {
    return (await this.known()).pairs(pairs)
  }

  close () {
    this.idle.splice(0).forEach(connection => this.end(connection))
  }
}

// --- the entry -----------------------------------------------------------------------------------------------------------------------------

/** Coordination through one database. Have one in a process. */
export class Dibs {
  /**
   * @param connect opens a new connection each time, and returns it when it can be used. Give it time limits: a statement that hangs delays
   *     the renewal of other leases
   * @param lease how long a lease lasts without being renewed: 100 milliseconds to a day
   * @param holder who this is, for people; decides nothing. By default host and process, as `host:4711`
   */
  constructor (connect, { lease = 30_000, holder = `${hostname().slice(0, 100)}:${process.pid}` } = {}) {
    this.lease = checkMillis('lease', lease, 100, DAY)
    this.holder = checkText('holder', holder)
    this.connections = new Connections(connect)
    this.keeper = new Keeper(this.connections)
    /** Names whose row exists. */
    // Until when a name is known to have a row, and names that a guard has met busy.
    this.known = new Map()
    this.met = new Set()
  }

  /** Makes the tables of locks and tokens that are not there. Many processes may call it at once. */
  async createSchema () {
    for (const name of ['create_lock', 'create_token']) {
      try {
        await this.connections.run(name)
      } catch (failure) {
        // On PostgreSQL two that make a table at the same instant may both see that it is not there.
        if (![RETRY, DUPLICATE].includes(failure.outcome)) throw failure.explained()
        await this.connections.run(name)
      }
    }
  }

  /** A lock by name: 1 to 200 characters, compared exactly. `lock('sync:42')` is Java's `lock("sync", 42)`. */
  lock (name, { lease = this.lease } = {}) {
    return new Lock(this, checkText('name', name), checkMillis('lease', lease, 100, DAY))
  }

  /**
   * Claims of rows of a table of yours.
   *
   * @param table its name, plain or quoted, with its schema before it if need be; likewise the columns
   * @param key a unique column of whole numbers, texts or bytes
   * @param token a column of at least 32 characters, NULL in a row that nobody has claimed
   * @param until a bigint: until when a claim holds, in milliseconds by the database's clock
   * @param where which rows are to be done. A completed row must not match it any more
   * @param order in which order; by default that of the key
   * @param completeSet what completing sets; or `completeDelete: true`. With neither a completed row only loses its mark
   * @param lease how long a claim holds without being renewed: 100 milliseconds to a day
   *
   * `where`, `order` and `completeSet` are SQL of yours and go into statements as they are: never build them from what a user has written.
   */
  async claims (table, { key = 'id', token = 'claimed_by', until = 'claimed_until', completeDelete = false, lease = this.lease, ...sql } = {}) {
    const unknown = Object.keys(sql).find(name => !['where', 'order', 'completeSet'].includes(name))
    if (unknown) throw new RangeError(`claims have no option '${unknown}'`)
    if (completeDelete && sql.completeSet !== undefined) throw new RangeError('completeSet and completeDelete exclude each other')
    const claims = new Claims(this, table, checkMillis('lease', lease, 100, DAY), completeDelete ? 'delete_rows' : 'complete_rows')
    try {
      return await claims.open([key, token, until], sql)
    } catch (error) {
      throw explained(error)
    }
  }

  /** One-time tokens for a purpose: a token of one is unknown to another. */
  tokens (purpose) {
    if (checkText('purpose', purpose, 100) !== purpose.trim()) throw new RangeError('purpose has a blank at an end')
    return new Tokens(this.connections, purpose)
  }

  /** Releases all leases and claims, and ends the timers. What cannot be released now ends by time. */
  async close () {
    await this.keeper.close()
    this.connections.close()
  }
}

// --- locks ---------------------------------------------------------------------------------------------------------------------------------

class Lock {
  constructor (dibs, name, length) {
    this.dibs = dibs
    this.name = name
    this.length = length
  }

  /** Does the work under the lock, and releases it. Throws LeaseLost after work that returned if the lease was lost, or turns out to be. */
  async run (options, work) {
    const lease = await this.acquire(options)
    let result
    try {
      result = await work(lease)
    } finally {
      await lease.release()
    }
    if (lease.lost) throw lease.lost
    return result
  }

  /** The lease, or null if somebody else held the lock for as long as that. */
  async tryAcquire (options) {
    try {
      return await this.acquire(options)
    } catch (error) {
      if (error instanceof NotAcquired) return null
      throw error
    }
  }

  /** The lease. Waits for so many milliseconds at most. Throws NotAcquired if somebody else holds the lock. */
  async acquire ({ wait = 0 } = {}) {
    checkMillis('wait', wait, 0, 3650 * DAY)
    const began = now()
    const patience = Math.max(wait, Math.min(LONGEST_RETRY, this.length / 3))
    let pause = 5
    let failures = 0
    let looks = false
    while (true) {
      let busy = null
      try {
        busy = looks ? await this.look() : null
        if (!busy) {
          const answer = await this.send()
          if (answer instanceof Lease) return answer
          busy = answer
        }
        if (now() - began >= wait) throw new NotAcquired(this.name, busy.owner && Number(busy.held_until) > Number(busy.read_at) ? busy.holder : null)
        looks = true
      } catch (failure) {
        if (!(failure instanceof Failure)) throw failure
        failures++
        const isOver = now() - began >= patience || (wait === 0 && failures >= TRIES)
        if (![RETRY, DUPLICATE].includes(failure.outcome) || isOver) throw failure.explained()
        busy = null
      }
      let millis = pause * (0.5 + Math.random() / 2)
      if (busy) millis = Math.min(millis, Math.max(1, busy.held_until - busy.read_at), Math.max(1, began + wait - now()))
      await sleep(millis)
      pause = Math.min(100, pause * 2)
    }
  }

  /** The row that is in the way, read without a lock; or null if an acquire may succeed. */
  async look () {
    const { rows } = await this.dibs.connections.run('look_lock', { name: this.name })
    return rows.find(row => Number(row.held_until) > Number(row.read_at)) ?? null
  }

  /**
   * The step before tryGuard: waits until the lock looks free, and adds the row of a new name. Call it before your transaction. Waits for
   * so many milliseconds at most. False: the lock was busy all the time. True promises nothing: somebody else may be faster. A name that
   * was free costs nothing for a minute, on MariaDB one look.
   */
  async awaitFree ({ wait = 0 } = {}) {
    checkMillis('wait', wait, 0, 3650 * DAY)
    const { connections, known, met } = this.dibs
    try {
      const { keepsRefusedRows } = await connections.known()
      if (!met.has(this.name) && known.get(this.name) > now() && !keepsRefusedRows) return true
      const { rows: [row] } = await connections.run('look_lock', { name: this.name })
      if (!row || Number(row.held_until) > Number(row.read_at) || met.has(this.name)) {
        // Waits as others do, also for a transaction: the lease is given back at once.
        const lease = await this.tryAcquire({ wait })
        if (!lease) return false
        await lease.release()
      }
    } catch (failure) {
      throw explained(failure)
    }
    met.delete(this.name)
    if (known.size >= KNOWN) known.clear()
    known.set(this.name, now() + KNOWN_MILLIS)
    return true
  }

  /**
   * Locks for a transaction of yours, up to its end and without a lease. Must be its first statement; call awaitFree before it. It uses
   * this connection alone. False: it is busy; end the transaction, which may keep the holder from renewing, and begin with awaitFree
   * again. Throws DibsError if the name has no row, because awaitFree was not called (on MariaDB that is false); on PostgreSQL if its
   * isolation is above READ COMMITTED, and on MariaDB with autocommit off if a statement has begun the transaction: it may see an
   * earlier time. Roll back then.
   */
  async tryGuard (connection) {
    const { known, met } = this.dibs
    const database = databaseOf(connection)
    try {
      if (await database.hasBegun?.(connection)) throw new DibsError('tryGuard must be the first statement of its transaction, without BEGIN while autocommit is off; roll back')
      const rows = await joinOn(connection, 'tryGuard', 'guard_free_lock', { name: this.name })
      if (rows.length && Number(rows[0].is_old)) throw new DibsError('tryGuard needs READ COMMITTED: the transaction may see a time before it got the lock; roll back')
      if (rows.length && rows[0].owner !== null) await joinOn(connection, 'tryGuard', 'take_expired_lock', { name: this.name })
      if (rows.length) return true
      // A row that was known a moment ago was purged: awaitFree adds it. On MariaDB a look would fix what the transaction sees.
      if (!(known.get(this.name) > now()) && !database.keepsRefusedRows && !(await joinOn(connection, 'tryGuard', 'look_lock', { name: this.name })).length) {
        throw new DibsError(`tryGuard: '${this.name}' has no row; roll back, and call awaitFree before the transaction: it adds the row`)
      }
    } catch (failure) {
      throw explained(failure)
    }
    if (met.size >= KNOWN) met.clear()
    met.add(this.name)
    return false
  }

  /** Sends one acquire, with a token that is never sent again. Returns the lease, or the row that is in the way. */
  async send () {
    const { connections, keeper, holder } = this.dibs
    keeper.requireOpen()
    // The first connection is opened before the clock is read.
    await connections.known()
    const owner = randomBytes(16).toString('hex')
    const term = new Term(this.length)
    let rows
    try {
      rows = (await connections.run('acquire_lock', { name: this.name, owner, holder, lease: this.length })).rows
    } catch (failure) {
      if (failure.outcome !== UNKNOWN) throw failure
      rows = await this.lookUp(owner)
      if (!rows.length || term.remaining() <= 0) {
        keeper.releaseLater(this.name, owner, this.length, true)
        throw failure
      }
    }
    const mine = rows.find(row => row.owner === owner)
    if (!mine) {
      if (!rows.length) throw new Failure(RETRY, new DibsError('two were first at the same instant'))
      return rows[0]
    }
    if (term.remaining() <= 0) {
      keeper.releaseLater(this.name, owner, this.length, false)
      throw new Failure(RETRY, new DibsError('the grant came after its own end'))
    }
    const lease = new Lease(keeper, this.name, owner, Number(mine.fence), this.length, term)
    await keeper.keep(lease)
    return lease
  }

  /** After a lost answer. No row: not known, or not yet. */
  async lookUp (owner) {
    const { connections } = this.dibs
    for (let attempt = 0; attempt < LOOK_UPS; attempt++) {
      try {
        return (await connections.run('find_locks', await connections.pairs([{ name: this.name, owner }]))).rows
      } catch (failure) {
        await sleep(10 * 2 ** attempt)
      }
    }
    return []
  }
}

/** A lock that is held. Renewed in the background until it is released or lost. */
class Lease {
  #keeper
  #term
  #callbacks = []

  constructor (keeper, name, owner, fence, length, term) {
    this.name = name
    this.fence = fence
    this.owner = owner
    this.length = length
    this.lost = null
    this.renewAt = term.sent + length / 3
    this.#keeper = keeper
    this.#term = term
  }

  /** Whether the lease is held. Asks no database. */
  get valid () {
    return this.remaining() > 0
  }

  /** For how many milliseconds nobody else can have the lock, even if no renewal gets through. */
  remaining () {
    if (!this.#term) return 0
    const left = this.#term.remaining()
    if (left <= 0) this.lose('it expired without a renewal that got through in time')
    return Math.max(0, left)
  }

  /** Throws LeaseLost if the lease is not held any more. */
  check () {
    if (!this.valid) throw this.lost ?? new DibsError(`the lease on '${this.name}' is released`)
  }

  /** Calls back with LeaseLost when the lease is lost; soon if it is lost already. */
  onLost (callback) {
    if (this.lost) queueMicrotask(() => callback(this.lost))
    else this.#callbacks.push(callback)
  }

  /**
   * Joins a transaction of yours, which has begun: nobody gets the lock before it ends. Must be its first statement. Throws LeaseLost if the
   * lock is not ours: roll back then. Throws RangeError if no transaction has begun.
   */
  async guard (connection) {
    this.check()
    let rows
    try {
      rows = await joinOn(connection, 'guard', 'guard_lock', { name: this.name, owner: this.owner })
    } catch (failure) {
      throw explained(failure)
    }
    if (!rows.length) {
      this.#keeper.renewSoon(this)
      throw new LeaseLost(this.name, this.fence, 'in this transaction it is not ours; roll back')
    }
  }

  /** Gives the lock back. Returns whether the database has said that it was ours up to now. The second time it does nothing. */
  async release () {
    if (!this.valid) return false
    this.#term = null
    return this.#keeper.release(this)
  }

  /** A loss is final: an answer that comes too late changes nothing. */
  extend (term) {
    if (this.valid && term.end > this.#term.end) this.#term = term
  }

  lose (reason) {
    if (!this.#term) return
    this.#term = null
    this.lost = new LeaseLost(this.name, this.fence, reason)
    this.#keeper.gone(this)
    for (const callback of this.#callbacks) queueMicrotask(() => callback(this.lost))
  }
}

/** A timer that calls `round`, which returns in how many milliseconds it wants to be called again, or null for never. */
class Loop {
  constructor (round) {
    this.round = round
    this.due = Infinity
    this.busy = false
  }

  within (millis) {
    const due = now() + millis
    if (due >= this.due || this.stopped) return
    this.due = due
    if (!this.busy) this.#arm()
  }

  #arm () {
    clearTimeout(this.timer)
    if (this.due === Infinity || this.stopped) return
    // A timer may stand still while the machine is suspended.
    this.timer = setTimeout(() => this.#wake(), Math.min(1000, Math.max(0, this.due - now())))
    this.timer.unref()
  }

  #wake () {
    if (now() >= this.due) this.#go()
    else this.#arm()
  }

  async #go () {
    this.busy = true
    this.due = Infinity
    let next = 200
    try {
      next = await this.round()
    } finally {
      this.busy = false
      if (next !== null) this.within(next)
      this.#arm()
    }
  }

  stop () {
    this.stopped = true
    clearTimeout(this.timer)
  }
}

const least = numbers => numbers.length ? Math.max(0, Math.min(...numbers)) : null

/** Renews the leases and claims of one process, watches their deadlines, and releases later what could not be released at once. */
class Keeper {
  constructor (connections) {
    this.connections = connections
    this.held = new Set()
    this.claims = new Set()
    this.pending = new Set()
    this.closed = false
    this.heartbeat = new Loop(() => this.renew())
    // Does not ask the database: one that hangs cannot keep it from ending a lease.
    this.watch = new Loop(() => least([...this.held, ...this.claims].map(one => one.remaining()).filter(left => left > 0)))
    this.releaser = new Loop(() => this.releasePending())
  }

  requireOpen () {
    if (this.closed) throw new DibsError('this Dibs is closed')
  }

  async keep (lease) {
    this.held.add(lease)
    if (this.closed) {
      await lease.release()
      this.requireOpen()
    }
    this.heartbeat.within(Math.max(0, lease.renewAt - now()))
    this.watch.within(lease.remaining())
  }

  async keepClaim (claim) {
    this.claims.add(claim)
    if (this.closed) {
      await claim.close()
      this.requireOpen()
    }
    this.heartbeat.within(Math.max(0, claim.renewAt - now()))
    this.watch.within(claim.remaining())
  }

  gone (lease) {
    this.held.delete(lease)
    // The row may still name us: others need not wait for its end.
    this.releaseLater(lease.name, lease.owner, lease.length, false)
  }

  renewSoon (lease) {
    lease.renewAt = now()
    this.heartbeat.within(0)
  }

  async renew () {
    const batch = this.nextBatch()
    if (batch.length) await this.renewBatch(batch)
    for (const claim of this.claims) {
      if (claim.renewAt <= now()) await this.renewClaim(claim)
    }
    return least([...this.held, ...this.claims].map(one => one.renewAt - now()))
  }

  async renewClaim (claim) {
    try {
      await claim.renewNow()
    } catch (failure) {
      this.retrySoon(claim)
    }
  }

  /** The due lease with the least time left, and those of its length that are half way to their renewal. */
  nextBatch () {
    const due = [...this.held].filter(lease => lease.renewAt <= now() && lease.valid)
    if (!due.length) return []
    const { length } = due.reduce((one, other) => one.remaining() <= other.remaining() ? one : other)
    return [...this.held]
      .filter(lease => lease.length === length && lease.renewAt - now() <= length / 6)
      .sort((one, other) => one.renewAt - other.renewAt)
      .slice(0, RENEWED_AT_ONCE)
  }

  async renewBatch (batch) {
    const { length } = batch[0]
    const term = new Term(length)
    batch.forEach(lease => { lease.renewAt = term.sent + length / 3 })
    try {
      const { rows } = await this.connections.run('renew_locks', { ...await this.pairs(batch), lease: length })
      const renewed = new Set(rows.map(row => row.owner))
      batch.filter(lease => renewed.has(lease.owner)).forEach(lease => lease.extend(term))
      const missing = batch.filter(lease => !renewed.has(lease.owner) && lease.valid)
      if (missing.length) await this.lookUp(missing)
    } catch (failure) {
      batch.forEach(lease => this.retrySoon(lease))
    }
  }

  /** Locked just now, or not ours any more. */
  async lookUp (missing) {
    const { rows } = await this.connections.run('find_locks', await this.pairs(missing))
    const ours = new Set(rows.map(row => row.owner))
    for (const lease of missing) {
      if (ours.has(lease.owner)) this.retrySoon(lease)
      else lease.lose('the database says that it is not ours any more; it was taken over or broken, or it has expired')
    }
  }

  pairs (leases) {
    return this.connections.pairs(leases.map(({ name, owner }) => ({ name, owner })))
  }

  retrySoon (one) {
    one.renewAt = now() + Math.min(500, Math.max(20, one.length / 30)) * (0.5 + Math.random() / 2)
  }

  async release (lease) {
    this.held.delete(lease)
    for (let attempt = 0; attempt < TRIES; attempt++) {
      try {
        const { rows, count } = await this.connections.run('release_lock', { name: lease.name, owner: lease.owner })
        if (rows.length || count) return true
      } catch (failure) {
        break
      }
      await sleep(2)
    }
    if (await this.mayBeOurs(lease)) {
      // Locked just now.
      this.releaseLater(lease.name, lease.owner, lease.length, false)
    } else {
      const reason = 'its release found that it was not ours any more; it was broken or taken over before'
      lease.lost = new LeaseLost(lease.name, lease.fence, reason)
    }
    return false
  }

  async mayBeOurs (lease) {
    try {
      return (await this.connections.run('find_locks', await this.pairs([lease]))).rows.length > 0
    } catch (failure) {
      return true
    }
  }

  /** A ghost is a token whose acquire was never answered: it may land after any look, and is released for a whole lease. */
  releaseLater (name, owner, length, ghost) {
    this.tryAgain(() => this.isReleased(name, owner, ghost), length)
  }

  /** Calls `attempt` in the background until it answers true, for so many milliseconds at most. */
  tryAgain (attempt, millis) {
    this.pending.add({ attempt, until: now() + millis, wait: 5 })
    this.releaser.within(0)
  }

  async releasePending () {
    for (const one of [...this.pending]) {
      if (now() >= one.until || await one.attempt()) this.pending.delete(one)
      one.wait = Math.min(2000, one.wait * 2)
    }
    return least([...this.pending].map(one => one.wait))
  }

  async isReleased (name, owner, ghost) {
    try {
      const { rows, count } = await this.connections.run('release_lock', { name, owner })
      if (rows.length || count) return true
      return !ghost && !(await this.connections.run('find_locks', await this.connections.pairs([{ name, owner }]))).rows.length
    } catch (failure) {
      return false
    }
  }

  async close () {
    this.closed = true
    await Promise.all([...this.held].map(lease => lease.release()))
    await Promise.all([...this.claims].map(claim => claim.close()))
    for (const loop of [this.watch, this.heartbeat, this.releaser]) loop.stop()
    await this.releasePending()
  }
}

// --- claims --------------------------------------------------------------------------------------------------------------------------------

const NAME = /([\p{L}_][\p{L}\p{N}_$]*)|"((?:[^"\0]|"")+)"|`((?:[^`\0]|``)+)`|\[((?:[^\]\0]|\]\])+)\]/uy

/** A name as a statement takes it, and its last part without quotes. It is plain, or quoted in the way of any database. */
function checkName (what, text, quote, most = 1) {
  const parts = []
  NAME.lastIndex = 0
  while (typeof text === 'string' && text.length <= 1000) {
    const part = NAME.exec(text)
    if (!part) break
    const closing = part[0].at(-1)
    const bare = part[1] ?? part[0].slice(1, -1).replaceAll(closing + closing, closing)
    parts.push(part[1] ?? quote + bare.replaceAll(quote, quote + quote) + quote)
    if (NAME.lastIndex === text.length && parts.length <= most) return { name: parts.join('.'), bare }
    if (text[NAME.lastIndex] !== '.') break
    NAME.lastIndex++
  }
  throw new RangeError(`'${text}' is not a ${what}'s name: letters, digits and underscores, or quoted as in "order"`)
}

/** SQL of the caller's must be complete in itself, so that it cannot change what stands around it. */
function checkSql (what, text, database) {
  if (typeof text !== 'string' || !text.trim()) throw new RangeError(`${what} is '${text}'; it must be a piece of SQL`)
  const wrong = why => { throw new RangeError(`${what} ${why}: ${text}`) }
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const c = text[at]
    const next = text[at + 1]
    if ('\'"`['.includes(c)) {
      at = text.indexOf(c === '[' ? ']' : c, at + 1)
      if (at < 0) wrong(`opens a ${c} that it does not close`)
    } else if (c === '(') {
      depth++
    } else if (c === ')') {
      if (--depth < 0) wrong('closes a parenthesis that it did not open')
    } else if (c === ';') {
      wrong('has a semicolon')
    } else if (/^(--|\/\*)/.test(c + next) || (c === '#' && database === mariadb)) {
      wrong('has a comment')
    } else if (':?'.includes(c) && next === c) {
      at++
    } else if (':?'.includes(c) || (c === '$' && /\d/.test(next) && !/[\w$]/.test(text[at - 1] ?? ''))) {
      wrong('has a parameter, which nobody would bind')
    }
  }
  if (depth > 0) wrong('opens a parenthesis that it does not close')
  return text.trim()
}

/** All at once, so that nothing in a text of the caller's is taken for a place to fill. */
const filled = (sql, texts) => sql.replace(/\{(\w+)\}/g, (place, name) => texts[name])

const shown = keys => keys.slice(0, 10).map(told).join(', ') + (keys.length > 10 ? ', ..' : '')

/** Bytes as hexadecimal digits, and 16 of them as a UUID: many tables keep one so. */
const told = key => !(key instanceof Uint8Array)
  ? String(key)
  : Buffer.from(key).toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Claims of rows of one table. Made by `Dibs.claims`. */
class Claims {
  #connections
  #keeper
  #texts
  #key
  #kind
  #isChar
  #beforeHex
  #completes
  #statements = {}

  constructor (dibs, table, length, completes) {
    this.table = table
    this.length = length
    this.#connections = dibs.connections
    this.#keeper = dibs.keeper
    this.#completes = completes
  }

  /** Looks at the table: what is wrong is said here, and not by the first claim. */
  async open (names, { where, order, completeSet }) {
    const database = await this.#connections.known()
    const [key, token, until] = names.map(name => checkName('column', name, database.quote))
    this.#texts = {
      table: checkName('table', this.table, database.quote, 3).name,
      key: key.name,
      token: token.name,
      until: until.name,
      // No statement finds a row whose key is NULL.
      where: `t.${key.name} IS NOT NULL` + (where === undefined ? '' : ` AND (${checkSql('where', where, database)})`),
      order: order === undefined ? key.name : checkSql('order', order, database),
      effect: completeSet === undefined ? '' : checkSql('completeSet', completeSet, database)
    }
    for (const text of Object.values(this.#texts)) {
      // mysql2 takes it for a parameter, wherever it stands.
      if (database === mariadb && text.includes('?')) throw new RangeError(`a question mark cannot be a part of claims on MariaDB: ${text}`)
    }
    let columns
    try {
      columns = (await this.#connections.run(this.#steps(database, 'check_condition'))).columns
    } catch (failure) {
      throw failure.explained()
    }
    const [keyColumn, tokenColumn, untilColumn] = [key, token, until].map(({ bare }) => this.#column(columns, bare))
    const [kind, type] = database.keyTypes[keyColumn.type] ?? []
    if (!kind) throw new DibsError(`the column ${key.bare} of ${this.table} cannot be the key: it is no whole number, text or bytes`)
    if (database.keyTypes[tokenColumn.type]?.[0] !== 'text') {
      throw new DibsError(`the column ${token.bare} of ${this.table} is not a text; a token needs 32 characters`)
    }
    if (![database.bigint, 'unsigned'].includes(untilColumn.type)) {
      throw new DibsError(`the column ${until.bare} of ${this.table} is not a bigint; it is to hold milliseconds since 1970`)
    }
    this.#key = keyColumn.name
    this.#kind = kind
    this.#beforeHex = database.beforeHex
    this.#isChar = keyColumn.type === database.char
    this.#texts.type = type
    for (const [name, text] of Object.entries(CLAIM_KEYS[database.dialect][kind])) this.#texts[name] = filled(text, this.#texts)
    for (const name of ['claim_rows', 'find_rows', 'still_rows', 'renew_rows', 'release_rows', 'release_token', this.#completes]) {
      this.#statements[name] = this.#steps(database, name)
    }
    return this
  }

  /** As the database has it: a name that is not quoted may be folded to lower case. */
  #column (columns, bare) {
    const found = columns.find(({ name }) => name === bare) ?? columns.find(({ name }) => name.toLowerCase() === bare.toLowerCase())
    if (!found) throw new DibsError(`${this.table} has no column ${bare}; it has ${columns.map(({ name }) => name).join(', ')}`)
    return found
  }

  #steps (database, statement) {
    const text = sql => filled(this.#texts.effect ? sql : sql.replace('{effect}, ', ''), this.#texts)
    return STATEMENTS[database.dialect][statement].map(step => ({ ...step, sql: text(step.sql) }))
  }

  async #run (statement, parameters) {
    return (await this.#connections.run(this.#statements[statement], { ...parameters, lease: this.length })).rows
  }

  /**
   * What tells a key from others, whether it is 2, 2n or '2', bytes or their hexadecimal digits, and whether the session reads the blanks at the
   * end of a CHAR or not; null if no key can be so.
   */
  sameAs (value) {
    if (this.#kind === 'binary') {
      const hex = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value).replaceAll('-', '').toLowerCase()
      return /^([\da-f]{2})*$/.test(hex) ? hex : null
    }
    if (this.#isChar && typeof value === 'string') return value.replace(/ +$/, '')
    if (this.#kind !== 'number') return typeof value === 'string' ? value : null
    const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value) || (typeof value === 'string' && /^-?\d+$/.test(value))
    return isWhole ? String(BigInt(value)) : null
  }

  /** The keys of rows, as the driver has read them. */
  #keysOf (rows) {
    return rows.map(row => {
      const value = row[this.#key]
      if (this.sameAs(value) !== null) return value
      throw new DibsError(`${value} cannot be a key in the column ${this.#key} of ${this.table}` +
        (typeof value === 'number' ? ': the number is not exact; mysql2 needs supportBigNumbers' : ''))
    })
  }

  /** As JSON: a text where a number is not exact. */
  #sent (key) {
    if (this.#kind === 'binary') return this.#beforeHex + this.sameAs(key)
    return this.#kind === 'number' && Number.isSafeInteger(Number(key)) ? Number(key) : String(key)
  }

  /** Changes those of the rows that are the claim's. Returns their keys, as they are given here. */
  async change (statement, token, keys, connection = null) {
    if (!keys.length) return new Set()
    const given = new Map(keys.map(key => [this.sameAs(key), key]))
    const parameters = { token, keys: JSON.stringify(keys.map(key => ({ dibs_key1: this.#sent(key) }))) }
    const rows = connection
      ? await joinOn(connection, 'completeIn', this.#statements[statement], parameters)
      : await this.#run(statement, parameters)
    return new Set(rows.map(row => given.get(this.sameAs(row.dibs_key1))))
  }

  complete (token, keys, connection) {
    return this.change(this.#completes, token, keys, connection)
  }

  /** Does the work with up to n rows, and releases those that it has not completed. */
  async run (n, work) {
    const claim = await this.claim(n)
    try {
      return await work(claim)
    } finally {
      await claim.close()
    }
  }

  /** Up to n free rows, in order; none if nothing is free. Throws DibsError if the database could not tell. */
  async claim (n) {
    if (!Number.isInteger(n) || n < 1 || n > LARGEST_CLAIM) {
      throw new RangeError(`a claim of ${n} rows is out of bounds; it must be between 1 and ${LARGEST_CLAIM}`)
    }
    const began = now()
    for (let pause = 5; ; pause = Math.min(100, pause * 2)) {
      try {
        return await this.#send(n)
      } catch (failure) {
        if (!(failure instanceof Failure)) throw failure
        if (failure.outcome !== RETRY || now() - began >= LONGEST_CHANGE) throw failure.explained()
      }
      await sleep(pause * (0.5 + Math.random() / 2))
    }
  }

  /** Sends one claim, with a token that is never sent again. */
  async #send (n) {
    this.#keeper.requireOpen()
    const token = randomBytes(16).toString('hex')
    const term = new Term(this.length)
    let rows
    try {
      rows = await this.#run('claim_rows', { token, n })
    } catch (failure) {
      if (failure.outcome !== UNKNOWN) throw failure
      rows = await this.#lookUp(token)
      if (!rows.length || term.remaining() <= 0) {
        this.releaseLater(token, !rows.length)
        throw new DibsError(`${failure.message} (the token of the claim is ${token})`, { cause: failure.cause })
      }
    }
    if (term.remaining() <= 0) {
      this.releaseLater(token, false)
      throw new Failure(RETRY, new DibsError('the rows came after the end of their claim'))
    }
    // A row of NULLs: a row was picked, and has not got the mark.
    const marked = rows.filter(row => Object.values(row).some(value => value !== null))
    if (rows.length && !marked.length) {
      throw new DibsError(`the database left a free row of ${this.table} as it was, without an error: a trigger or a ` +
        'policy refuses the claim')
    }
    rows = marked
    try {
      const claim = new Claim(this, this.#keeper, token, rows, this.#keysOf(rows), term)
      if (rows.length) await this.#keeper.keepClaim(claim)
      return claim
    } catch (error) {
      this.releaseLater(token, false)
      throw error
    }
  }

  /** After a lost answer. No rows: not known, or not yet. */
  async #lookUp (token) {
    for (let attempt = 0; attempt < LOOK_UPS; attempt++) {
      try {
        return await this.#run('find_rows', { token })
      } catch (failure) {
        await sleep(10 * 2 ** attempt)
      }
    }
    return []
  }

  /** A ghost is a token whose claim was never answered: it may land after any look. */
  releaseLater (token, ghost) {
    this.#keeper.tryAgain(() => this.#isReleased(token, ghost), ABANDONED)
  }

  async #isReleased (token, ghost) {
    try {
      const released = await this.#run('release_token', { token })
      // A row that was locked is still there.
      return (released.length > 0 || !ghost) && !(await this.#run('find_rows', { token })).length
    } catch (failure) {
      return false
    }
  }
}

/** Rows that are claimed. Renewed in the background until they are completed, released or lost. */
class Claim {
  #claims
  #keeper
  #term
  #held
  /** Those that the last renewal found locked, and until when they are ours all the same. */
  #behind = new Map()
  /** Those that have expired: they can still be completed while nobody has taken them. */
  #lost = new Set()
  /** Those of them that are just being changed: the answer tells what came of them. */
  #untold = new Set()
  /** Those that may go without being lost: they are just being changed, or were completed in a transaction of the caller's, and when. */
  #going = new Map()
  #joined = new Map()
  #reason
  #closed = false
  #callbacks = []

  constructor (claims, keeper, token, rows, keys, term) {
    this.token = token
    this.rows = rows
    this.keys = keys
    this.length = claims.length
    this.renewAt = term.sent + claims.length / 3
    this.#claims = claims
    this.#keeper = keeper
    this.#term = term
    this.#held = new Set(keys)
  }

  /** The keys of the rows that are certainly still ours. Asks no database. */
  get held () {
    return this.remaining() > 0 ? [...this.#held] : []
  }

  /** Whether no row was lost, and those that are left are certainly still ours. Asks no database. */
  get valid () {
    this.remaining()
    return !this.#closed && !this.#lost.size
  }

  /**
   * For how many milliseconds nobody else can have any of the rows that are left, even if no renewal gets through; 0 if none are left.
   */
  remaining () {
    const expired = [...this.#behind].filter(([, term]) => term.remaining() <= 0).map(([key]) => key)
    this.#lose(this.#term.remaining() > 0 ? expired : [...this.#held], 'the claim expired without a renewal that got through in time', true)
    if (!this.#held.size || this.#closed) return 0
    return Math.max(0, Math.min(...[this.#term, ...this.#behind.values()].map(term => term.remaining())))
  }

  /** Throws ClaimLost if rows were lost. */
  check () {
    this.remaining()
    if (this.#lost.size) throw new ClaimLost(this.#claims.table, [...this.#lost], this.#reason)
    if (this.#closed) throw new DibsError(`the claim on ${this.#claims.table} is closed`)
  }

  /** Calls back with ClaimLost when rows are lost; soon if some are lost already. */
  onLost (callback) {
    this.#callbacks.push(callback)
    if (this.#lost.size) queueMicrotask(() => callback(new ClaimLost(this.#claims.table, [...this.#lost], this.#reason)))
  }

  /** Renews now; the background does it, too. Returns which rows are still ours (`done`), and which have turned out to be lost. */
  async renew () {
    try {
      return await this.renewNow()
    } catch (failure) {
      throw explained(failure)
    }
  }

  /** What was not renewed is locked just now, if the row still says that it is ours. */
  async renewNow () {
    const keys = this.held
    const term = new Term(this.length)
    this.renewAt = term.sent + this.length / 3
    const renewed = await this.#claims.change('renew_rows', this.token, keys)
    const rest = keys.filter(key => !renewed.has(key))
    const locked = await this.#claims.change('still_rows', this.token, rest)
    const gone = rest.filter(key => !locked.has(key))
    for (const key of renewed) {
      // Its transaction was rolled back.
      if (this.#joined.get(key) < term.sent) this.#joined.delete(key)
    }
    this.remaining()
    // A loss is final: an answer that comes too late changes nothing.
    if (this.#held.size && term.end > this.#term.end) {
      renewed.forEach(key => this.#behind.delete(key))
      for (const key of locked) {
        if (this.#held.has(key) && !this.#behind.has(key)) this.#behind.set(key, this.#term)
      }
      this.#term = term
    }
    if (locked.size) this.#keeper.retrySoon(this)
    this.#lose(gone, 'the database says that they are not ours any more; the claim has expired, or was released by force')
    // Those that were completed in a transaction of the caller's are neither.
    return { done: keys.filter(key => !gone.includes(key)), lost: gone.filter(key => !this.#joined.has(key)) }
  }

  /**
   * Completes rows: all that are left, or these. Returns the keys, as the rows have them: of those that were completed (`done`), and of those
   * that were not ours any more and are as they were (`lost`). Throws DibsError if the answer was lost and nobody can tell what came of it.
   */
  async complete (keys) {
    const chosen = this.#chosen(keys)
    return this.#changed(keys, chosen, await this.#send(chosen, left => this.#claims.complete(this.token, left), true))
  }

  /**
   * The same in a transaction of yours: the rows are completed if and only if that commits. Throws RangeError, and completes nothing, if no
   * transaction has begun.
   */
  async completeIn (connection, keys) {
    const chosen = this.#chosen(keys)
    try {
      const done = await this.#claims.complete(this.token, chosen, connection)
      // Before the caller can commit: from then on a renewal misses them.
      done.forEach(key => this.#joined.set(key, now()))
      return outcome(chosen, done)
    } catch (failure) {
      throw explained(failure)
    }
  }

  /**
   * Gives rows back: all that are left, or these. Returns which were (`done`). A row that is locked just now counts as lost. It is given back in
   * the background if all were to be, else when the claim is closed.
   */
  async release (keys) {
    const chosen = this.#chosen(keys)
    const send = left => this.#claims.change('release_rows', this.token, left)
    const done = await this.#send(chosen, send)
    let locked = new Set()
    for (const pause of [2, 10, 50]) {
      const rest = chosen.filter(key => !done.has(key))
      try {
        locked = await this.#claims.change('still_rows', this.token, rest)
      } catch (failure) {
        throw explained(failure)
      }
      if (!locked.size) break
      await sleep(pause)
      for (const key of await this.#send(rest.filter(key => locked.has(key)), send)) done.add(key)
    }
    const changed = this.#changed(keys, chosen, done, locked)
    if (keys === undefined && this.#held.size) await this.close()
    return changed
  }

  /** Releases the rows that are left. Never throws: what cannot be released now is released in the background, or ends by time. */
  async close () {
    if (this.#closed) return
    this.#closed = true
    const left = [...this.#held]
    this.#held.clear()
    this.#keeper.claims.delete(this)
    try {
      const released = await this.#claims.change('release_rows', this.token, left)
      if (left.every(key => released.has(key))) return
    } catch (failure) {
      // The background tries again.
    }
    this.#claims.releaseLater(this.token, false)
  }

  #chosen (keys) {
    if (keys === undefined) return this.keys.filter(key => this.#held.has(key) || this.#lost.has(key))
    const ours = new Map(this.keys.map(key => [this.#claims.sameAs(key), key]))
    const chosen = [...keys].map(key => {
      const same = this.#claims.sameAs(key)
      if (ours.has(same)) return ours.get(same)
      throw new RangeError(`'${key}' is not the key of a row of this claim`)
    })
    return [...new Set(chosen)]
  }

  /**
   * Sends a change until it is answered. What is not ours any more when it is sent again was changed by the statement that was not answered,
   * if our claim has not expired: nobody else can have taken it. Else nobody knows.
   */
  async #send (keys, change, completes = false) {
    const began = now()
    const unanswered = new Set()
    const unclear = new Set()
    let answered = new Set()
    let why = null
    this.#markGoing(keys, 1)
    try {
      for (let pause = 5; ; pause = Math.min(100, pause * 2)) {
        // Before it is sent: afterwards a renewal misses what has been changed.
        const held = keys.filter(key => this.#held.has(key))
        const lost = keys.filter(key => this.#lost.has(key))
        try {
          answered = await change(keys)
          break
        } catch (failure) {
          if (!(failure instanceof Failure)) throw failure
          if (failure.outcome === UNKNOWN) {
            held.forEach(key => unanswered.add(key))
            lost.forEach(key => unclear.add(key))
          }
          if ([REFUSED, DUPLICATE].includes(failure.outcome) || now() - began >= LONGEST_CHANGE) {
            why = failure.explained()
            if (!unanswered.size && !unclear.size) throw why
            break
          }
        }
        await sleep(pause * (0.5 + Math.random() / 2))
      }
      for (const key of answered) {
        unanswered.delete(key)
        unclear.delete(key)
      }
      const known = why || this.#closed || this.#term.remaining() <= 0 ? [] : [...unanswered]
      const unknown = keys.filter(key => unclear.has(key) || (unanswered.has(key) && !known.includes(key)))
      if (completes && unknown.length) {
        throw new DibsError(`whether the rows ${shown(unknown)} of ${this.#claims.table} were completed is not known: the answer was lost. ` +
          'Look in the table', { cause: why })
      }
      if (why) throw why
      keys.forEach(key => this.#untold.delete(key))
      return new Set([...answered, ...known])
    } finally {
      this.#markGoing(keys, -1)
      this.#tell(keys.filter(key => this.#untold.delete(key)))
    }
  }

  #markGoing (keys, by) {
    for (const key of keys) this.#going.set(key, (this.#going.get(key) ?? 0) + by)
  }

  /** These are no longer ours, but for those that are locked. Of all that were left, those completed in a transaction are not lost. */
  #changed (named, keys, done, locked = new Set()) {
    for (const key of keys) {
      if (locked.has(key) && !done.has(key)) continue
      this.#held.delete(key)
      this.#behind.delete(key)
      this.#lost.delete(key)
    }
    if (!this.#held.size) this.#keeper.claims.delete(this)
    return outcome(named ? keys : keys.filter(key => done.has(key) || !this.#joined.has(key)), done)
  }

  #lose (keys, reason, expired = false) {
    const lost = []
    for (const key of keys) {
      if (!this.#held.has(key) || (!expired && this.#going.get(key))) continue
      this.#held.delete(key)
      this.#behind.delete(key)
      if (this.#joined.has(key)) continue
      this.#lost.add(key)
      this.#reason = reason
      if (this.#going.get(key)) this.#untold.add(key)
      else lost.push(key)
    }
    if (!this.#held.size) this.#keeper.claims.delete(this)
    this.#tell(lost)
  }

  #tell (lost) {
    if (!lost.length) return
    const error = new ClaimLost(this.#claims.table, lost, this.#reason)
    for (const callback of this.#callbacks) queueMicrotask(() => callback(error))
  }
}

const outcome = (keys, done) => ({ done: keys.filter(key => done.has(key)), lost: keys.filter(key => !done.has(key)) })

const explained = error => error instanceof Failure ? error.explained() : error

// --- tokens --------------------------------------------------------------------------------------------------------------------------------

const digest = token => createHash('sha256').update(token, 'utf8').digest()

/** One-time tokens for a purpose: of all who show one, exactly one gets ok. */
class Tokens {
  constructor (connections, purpose) {
    this.connections = connections
    this.purpose = purpose
  }

  /** A new token for a subject, 43 characters. The database has its digest alone. */
  async issue (subject, { ttl, payload = null }) {
    const token = randomBytes(32).toString('base64url')
    if (payload !== null && payload.length > 4000) throw new RangeError('the payload has more than 4000 characters')
    const parameters = {
      purpose: this.purpose,
      digest: digest(token),
      id: randomBytes(16).toString('hex'),
      subject: checkText('subject', subject),
      payload,
      ttl: checkMillis('ttl', ttl, 1, 3650 * DAY)
    }
    try {
      await this.connections.run('issue_token', parameters)
    } catch (failure) {
      throw failure.explained()
    }
    return token
  }

  /** Uses a token up. `status` is ok for exactly one caller; else used, expired, revoked, or unknown, as for null. */
  async consume (token) {
    if (typeof token !== 'string' || !/^[\w-]{43}$/.test(token)) return { status: 'unknown' }
    const owner = randomBytes(16).toString('hex')
    const parameters = { purpose: this.purpose, digest: digest(token), owner, attempt: owner }
    for (let attempt = 1; ; attempt++) {
      try {
        // The same owner each time: after a lost answer the token may be ours already.
        const { rows: [row] } = await this.connections.run('consume_token', parameters)
        if (!row) return { status: 'unknown' }
        if (row.owner === owner) return { status: 'ok', subject: row.subject, payload: row.payload }
        return { status: row.ended ?? 'expired', subject: row.subject }
      } catch (failure) {
        if ([REFUSED, NOT_SENT].includes(failure.outcome) || attempt === LOOK_UPS) throw failure.explained()
        await sleep(10 * 2 ** attempt)
      }
    }
  }
}

// --- statements ----------------------------------------------------------------------------------------------------------------------------
// Made by `dibs statements`; not edited by hand.
// begin of statements
const STATEMENTS = {
  postgresql: {
    create_lock: [{ when: 'always', binds: [], sql: String.raw`
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) COLLATE "C" NOT NULL PRIMARY KEY,
    owner       varchar(32) COLLATE "C",
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) WITH (fillfactor = 70)
` }],
    create_token: [{ when: 'always', binds: [], sql: String.raw`
CREATE TABLE IF NOT EXISTS dibs_token (
    purpose      varchar(200) COLLATE "C" NOT NULL,
    digest       bytea NOT NULL,
    id           varchar(32) COLLATE "C" NOT NULL,
    subject      varchar(200) COLLATE "C" NOT NULL,
    payload      varchar(4000),
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) COLLATE "C",
    used_at      bigint,
    owner        varchar(32) COLLATE "C",
    attempt      varchar(200) COLLATE "C",
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) WITH (fillfactor = 70)
` }],
    guard_free_lock: [{ when: 'always', binds: ['name'], sql: String.raw`
SELECT CASE current_setting('transaction_isolation') WHEN 'read committed' THEN 0 ELSE 1 END AS is_old, owner
  FROM dibs_lock
 WHERE name = $1 AND held_until <= floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR UPDATE SKIP LOCKED
` }],
    take_expired_lock: [{ when: 'always', binds: ['name'], sql: String.raw`
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = $1
` }],
    issue_token: [{ when: 'always', binds: ['purpose', 'digest', 'id', 'subject', 'payload', 'ttl'], sql: String.raw`
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES ($1, $2, $3, $4, $5, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + $6, 0, 0, 0)
    ON CONFLICT DO NOTHING
` }],
    consume_token: [{ when: 'always', binds: ['owner', 'attempt', 'purpose', 'digest'], sql: String.raw`
UPDATE dibs_token
   SET ended = 'used', used_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, owner = $1, attempt = $2
 WHERE purpose = $3 AND digest = $4 AND ended IS NULL AND ends_at > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
RETURNING subject, payload, issued_at, used_at AS ends_at, owner
` }, { when: 'if no row so far', binds: ['purpose', 'digest'], sql: String.raw`
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_token
 WHERE purpose = $1 AND digest = $2
` }],
    acquire_lock: [{ when: 'always', binds: ['name', 'owner', 'holder', 'lease'], sql: String.raw`
WITH seen AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = $1
), free AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = $1 AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE dibs_lock AS l
       SET owner = $2,
           holder = $3,
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + $4
      FROM free
     WHERE l.name = free.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
), made AS (
    INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
    SELECT $1, $2, $3, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + $4
     WHERE NOT EXISTS (SELECT 1 FROM seen)
        ON CONFLICT (name) DO NOTHING
 RETURNING name, owner, holder, fence, acquired_at, held_until
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM made
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM free
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free)
` }],
    look_lock: [{ when: 'always', binds: ['name'], sql: String.raw`
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_lock
 WHERE name = $1
` }],
    renew_locks: [{ when: 'always', binds: ['names', 'owners', 'lease'], sql: String.raw`
WITH asked AS MATERIALIZED (
    SELECT $1::text[] AS names, $2::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), locked AS MATERIALIZED (
    SELECT l.ctid AS place, l.owner
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_lock AS l
   SET held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + $3
 WHERE l.ctid = ANY (ARRAY(SELECT place FROM locked)) AND (l.owner IN (SELECT owner FROM locked)) IS TRUE
RETURNING l.owner
` }],
    find_locks: [{ when: 'always', binds: ['names', 'owners'], sql: String.raw`
WITH asked AS MATERIALIZED (
    SELECT $1::text[] AS names, $2::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
` }],
    release_lock: [{ when: 'always', binds: ['name', 'owner'], sql: String.raw`
UPDATE dibs_lock AS l
   SET held_until = 0, owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_lock
     WHERE name = $1 AND owner = $2 AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED))
   AND owner = $2
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) END AS woken
` }],
    guard_lock: [{ when: 'always', binds: ['name', 'owner'], sql: String.raw`
SELECT fence
  FROM dibs_lock
 WHERE name = $1 AND owner = $2 AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR KEY SHARE
` }],
    claim_rows: [{ when: 'always', binds: ['n', 'lease', 'token'], sql: String.raw`
WITH dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM {table} AS t
     WHERE ({token} IS NULL OR {until} <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)) AND {where} AND 1 = 1
     ORDER BY {order}
     LIMIT $1
       FOR NO KEY UPDATE SKIP LOCKED
), dibs_taken AS (
    UPDATE {table} AS t
       SET {until} = floor(((SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) + $2) / 4) * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = $3
     WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND ({token} IS NULL OR {until} <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint))
 RETURNING t.*
)
SELECT t.*
  FROM (SELECT * FROM dibs_taken AS t WHERE {token} = $3) AS t
  FULL JOIN (SELECT 1 AS dibs_gap
              WHERE (SELECT count(*) FROM dibs_picked)
                    > (SELECT count(*) FROM dibs_taken AS t WHERE {token} = $3)) AS dibs_unmarked ON false
 ORDER BY {order}
` }],
    find_rows: [{ when: 'always', binds: ['token'], sql: String.raw`
SELECT t.*
  FROM {table} AS t
 WHERE {token} = $1
 ORDER BY {order}
` }],
    still_rows: [{ when: 'always', binds: ['keys', 'token'], sql: String.raw`
WITH dibs_json AS MATERIALIZED (
    SELECT $1::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)
SELECT t.{key} AS dibs_key1
  FROM dibs_asked AS k, {table} AS t
 WHERE {key_match} AND {token} = $2 AND {until} > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
` }],
    renew_rows: [{ when: 'always', binds: ['keys', 'token', 'lease'], sql: String.raw`
WITH dibs_json AS MATERIALIZED (
    SELECT $1::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
), dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM dibs_asked AS k, {table} AS t
     WHERE {key_match} AND {token} = $2 AND {until} > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) + $3
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = $2
RETURNING t.{key} AS dibs_key1
` }],
    release_rows: [{ when: 'always', binds: ['keys', 'token'], sql: String.raw`
WITH dibs_json AS MATERIALIZED (
    SELECT $1::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
), dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM dibs_asked AS k, {table} AS t
     WHERE {key_match} AND {token} = $2 AND 1 = 1
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = $2
RETURNING t.{key} AS dibs_key1
` }],
    complete_rows: [{ when: 'always', binds: ['keys', 'token'], sql: String.raw`
WITH dibs_json AS MATERIALIZED (
    SELECT $1::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)
UPDATE {table} AS t
   SET {effect}, {until} = NULL, {token} = NULL
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_asked)) AND {token} = $2
RETURNING t.{key} AS dibs_key1
` }],
    release_token: [{ when: 'always', binds: ['token'], sql: String.raw`
WITH dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM {table} AS t
     WHERE {token} = $1
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = $1
RETURNING t.{key} AS dibs_key1
` }],
    check_condition: [{ when: 'always', binds: [], sql: String.raw`
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
` }],
    delete_rows: [{ when: 'always', binds: ['keys', 'token'], sql: String.raw`
WITH dibs_json AS MATERIALIZED (
    SELECT $1::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)
DELETE FROM {table} AS t
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_asked)) AND {token} = $2
RETURNING t.{key} AS dibs_key1
` }]
  },
  mariadb: {
    create_lock: [{ when: 'always', binds: [], sql: String.raw`
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL PRIMARY KEY,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) ENGINE = InnoDB
` }],
    create_token: [{ when: 'always', binds: [], sql: String.raw`
CREATE TABLE IF NOT EXISTS dibs_token (
    purpose      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    subject      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    payload      varchar(4000) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    used_at      bigint,
    owner        varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    attempt      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) ENGINE = InnoDB
` }],
    guard_free_lock: [{ when: 'always', binds: ['name'], sql: String.raw`
SELECT 0 AS is_old, owner
  FROM dibs_lock
 WHERE name = ? AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
` }],
    take_expired_lock: [{ when: 'always', binds: ['name'], sql: String.raw`
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = ?
` }],
    issue_token: [{ when: 'always', binds: ['purpose', 'digest', 'id', 'subject', 'payload', 'ttl'], sql: String.raw`
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (?, ?, ?, ?, ?, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?, 0, 0, 0)
    ON DUPLICATE KEY UPDATE tries = tries
` }],
    consume_token: [{ when: 'always', binds: ['owner', 'attempt', 'purpose', 'digest', 'purpose', 'digest', 'owner'], sql: String.raw`
BEGIN NOT ATOMIC
    UPDATE dibs_token
   SET ended = 'used', used_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), owner = ?, attempt = ?
 WHERE purpose = ? AND digest = ? AND ended IS NULL AND ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);
    SELECT subject, payload, issued_at, used_at AS ends_at, owner FROM dibs_token WHERE purpose = ? AND digest = ? AND owner = ?;
END
` }, { when: 'if no row so far', binds: ['purpose', 'digest'], sql: String.raw`
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at FROM dibs_token WHERE purpose = ? AND digest = ? LOCK IN SHARE MODE
` }],
    acquire_lock: [{ when: 'always', binds: ['name', 'owner', 'holder', 'lease', 'owner', 'holder', 'lease', 'owner'], sql: String.raw`
BEGIN NOT ATOMIC
    DECLARE asked varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT ?;
    DECLARE expired int DEFAULT 0;
    DECLARE known int DEFAULT 0;
    DECLARE micros bigint;
    DECLARE millis bigint;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
    SELECT count(*), count(CASE WHEN held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN 1 END) INTO known, expired FROM dibs_lock WHERE name = asked;
    IF expired = 1 THEN
        SET expired = 0;
        SELECT 1 INTO expired FROM dibs_lock WHERE name = asked AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) FOR UPDATE SKIP LOCKED;
    END IF;
    SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at FROM dibs_lock WHERE name = asked;
    SET micros = timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6));
    SET millis = micros DIV 1000;
    IF expired = 1 THEN
        UPDATE dibs_lock
           SET owner = ?,
               holder = ?,
               fence = greatest(fence + 1, micros),
               acquired_at = millis,
               held_until = millis + ?
         WHERE name = asked;
    ELSEIF known = 0 THEN
        INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
        VALUES (asked, ?, ?, micros, millis, millis + ?)
            ON DUPLICATE KEY UPDATE name = VALUES(name);
    END IF;
    SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
      FROM dibs_lock
     WHERE name = asked AND owner = ?;
    COMMIT;
END
` }],
    look_lock: [{ when: 'always', binds: ['name'], sql: String.raw`
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = ?
` }],
    renew_locks: [{ when: 'always', binds: ['lease', 'pairs'], sql: String.raw`
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
RETURNING owner
` }],
    find_locks: [{ when: 'always', binds: ['pairs'], sql: String.raw`
SELECT STRAIGHT_JOIN l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(convert(? USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
` }],
    release_lock: [{ when: 'always', binds: ['name', 'owner'], sql: String.raw`
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, 0
  FROM dibs_lock AS l
 WHERE l.name = ? AND l.owner = ?
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
` }],
    guard_lock: [{ when: 'always', binds: ['name', 'owner', 'owner'], sql: String.raw`
SELECT g.fence
  FROM (SELECT name FROM dibs_lock WHERE name = ? AND owner = ? LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_lock AS g ON g.name = seen.name
 WHERE g.owner = ? AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AND @@in_transaction = 1
   FOR UPDATE
` }],
    claim_rows: [{ when: 'always', binds: ['n', 'lease', 'token', 'token'], sql: String.raw`
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT group_concat_max_len = 1073741824 FOR
    SELECT json_arrayagg(json_object({key_member})) INTO dibs_mine
      FROM (SELECT t.{key} AS dibs_key1
              FROM {table} AS t
             WHERE ({token} IS NULL OR {until} <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)) AND {where} AND 1 = 1
             ORDER BY {order}
             LIMIT ?
               FOR UPDATE SKIP LOCKED) AS k;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = floor(((timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?) / 4) * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = ?;
    IF row_count() < json_length(dibs_mine) THEN
        SIGNAL SQLSTATE '45D1B' SET MESSAGE_TEXT = 'a row was read and locked, and is not found by its own key: key type';
    END IF;
    SELECT t.* FROM {table} AS t WHERE {token} = ? ORDER BY {order};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
` }],
    find_rows: [{ when: 'always', binds: ['token'], sql: String.raw`
SELECT t.*
  FROM {table} AS t
 WHERE {token} = ?
 ORDER BY {order}
` }],
    still_rows: [{ when: 'always', binds: ['keys', 'token'], sql: String.raw`
SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
SELECT t.{key} AS dibs_key1
  FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = ? AND {until} > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
` }],
    renew_rows: [{ when: 'always', binds: ['keys', 'token', 'lease'], sql: String.raw`
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT json_arrayagg(json_object('dibs_key1', k.dibs_key1)) INTO dibs_mine
      FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = ? AND {until} > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
       FOR UPDATE SKIP LOCKED;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + ?;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
` }],
    release_rows: [{ when: 'always', binds: ['keys', 'token'], sql: String.raw`
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT json_arrayagg(json_object('dibs_key1', k.dibs_key1)) INTO dibs_mine
      FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = ? AND 1 = 1
       FOR UPDATE SKIP LOCKED;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = NULL, {token} = NULL;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
` }],
    complete_rows: [{ when: 'always', binds: ['keys', 'token', 'keys', 'token'], sql: String.raw`
BEGIN NOT ATOMIC
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = ?
       FOR UPDATE;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {effect}, {until} = NULL, {token} = NULL
     WHERE {token} = ?;
    IF dibs_own THEN
        COMMIT;
    END IF;
END
` }],
    release_token: [{ when: 'always', binds: ['token'], sql: String.raw`
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT group_concat_max_len = 1073741824 FOR
    SELECT json_arrayagg(json_object({key_member})) INTO dibs_mine
      FROM (SELECT t.{key} AS dibs_key1 FROM {table} AS t WHERE {token} = ? FOR UPDATE SKIP LOCKED) AS k;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = NULL, {token} = NULL;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
` }],
    check_condition: [{ when: 'always', binds: [], sql: String.raw`
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
` }],
    delete_rows: [{ when: 'always', binds: ['keys', 'token', 'keys', 'token'], sql: String.raw`
BEGIN NOT ATOMIC
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = ?
       FOR UPDATE;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    DELETE t
      FROM JSON_TABLE(?, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = ?;
    IF dibs_own THEN
        COMMIT;
    END IF;
END
` }]
  }
}
const CLAIM_KEYS = {
  postgresql: {
    binary: { key_list: `dibs_key1 {type}`, key_match: `t.{key} = k.dibs_key1`, key_member: `'dibs_key1', dibs_key1` },
    number: { key_list: `dibs_key1 bigint`, key_match: `t.{key} = k.dibs_key1`, key_member: `'dibs_key1', dibs_key1` },
    text: { key_list: `dibs_key1 {type}`, key_match: `t.{key} = k.dibs_key1`, key_member: `'dibs_key1', dibs_key1` }
  },
  mariadb: {
    binary: { key_list: `dibs_key1 varchar(6144) CHARACTER SET latin1 PATH '$.dibs_key1'`, key_match: `t.{key} = unhex(k.dibs_key1)`, key_member: `'dibs_key1', hex(dibs_key1)` },
    number: { key_list: `dibs_key1 {type} PATH '$.dibs_key1'`, key_match: `t.{key} = k.dibs_key1`, key_member: `'dibs_key1', dibs_key1 + 0` },
    text: { key_list: `dibs_key1 varchar(3072) CHARACTER SET utf8mb4 PATH '$.dibs_key1'`, key_match: `t.{key} = json_unquote(json_quote(k.dibs_key1))`, key_member: `'dibs_key1', convert(dibs_key1 USING utf8mb4)` }
  }
}
// end of statements
