// Package dibs coordinates processes through the database that they already have: locks, claims of rows of your own table, and one-time
// tokens.
//
// It needs database/sql and a driver alone: lib/pq or pgx's stdlib (PostgreSQL), go-sql-driver (MariaDB, MySQL), go-sqlite3 (SQLite). It shares
// its tables with Dibs for Java and with every other program that keeps the protocol, docs/lab/protocol.md. A lock that one language holds is
// busy for all of them.
//
// Every call that sends a statement takes a context first. Errors are told apart by errors.Is: ErrBusy, ErrLost and ErrUnknownOutcome. Any other
// error says that the database, or the caller, was wrong; it never means "busy". Types are safe for use by many goroutines.
//
// If a context ends while a statement is on its way, nobody knows whether the statement has had its effect. Then the lock or the rows are not
// the caller's, and a goroutine releases them until they are certainly free: for the length of a lease at most.
package dibs

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

var (
	// ErrBusy says that somebody else holds the lock, and held it for as long as the caller would wait.
	ErrBusy = errors.New("busy")
	// ErrLost says that a lease, or rows of a claim, are not the caller's any more. Roll back what was done under them.
	ErrLost = errors.New("lost")
	// ErrUnknownOutcome says that a statement was sent, and that its answer was lost: it may have had its effect, or not. An acquire or a claim
	// is not told so: what it may have got is released in the background.
	ErrUnknownOutcome = errors.New("unknown outcome")
	// ErrClosed says that the Store was closed before.
	ErrClosed = errors.New("closed")
)

const (
	protocol       = 1
	renewedAtOnce  = 1000
	largestClaim   = 10_000
	lookUps        = 5
	tries          = 3
	longestRetry   = time.Second
	longestChange  = 10 * time.Second
	shortestAnswer = time.Second
	longestRelease = 10 * time.Second
	// For how long a claim that was not answered may still be on its way.
	abandoned = 30 * time.Second
	// By how much the wall clock must gain on the monotonic one before that counts: below the margin of every lease.
	noticed = 10 * time.Millisecond
)

// failure is an error of one of the kinds above, or of none, and what is known of the statement that failed.
type failure struct {
	kind    error
	outcome outcome
	text    string
	cause   error
}

func (f *failure) Error() string { return "dibs: " + f.text }

func (f *failure) Is(target error) bool { return target == f.kind }

func (f *failure) Unwrap() error { return f.cause }

func as(kind, cause error, format string, args ...any) error {
	return &failure{kind, refused, fmt.Sprintf(format, args...), cause}
}

func failedAs(is outcome, cause error, advice string) *failure {
	return &failure{nil, is, strings.Join(strings.Fields(cause.Error()), " ") + advice, cause}
}

func refusal(format string, args ...any) error {
	return as(nil, nil, format, args...)
}

// LostRows is the error for rows of a claim that are not the caller's any more. errors.Is(err, ErrLost) holds for it.
type LostRows struct {
	// The keys of these rows, as the claim has them. All other rows of the call were changed.
	Keys   []any
	table  string
	reason string
}

func (l *LostRows) Error() string {
	return fmt.Sprintf("dibs: claimed rows of %s are lost (%s): %s", l.table, shown(l.Keys), l.reason)
}

// Is makes it an ErrLost.
func (l *LostRows) Is(target error) bool { return target == ErrLost }

// --- time ---------------------------------------------------------------------------------------------------------------------------------

// A clock that never goes back, and counts the time that the machine is suspended. Go's monotonic clock stands still then. So whatever the
// wall clock gains on it counts as time that has passed. What the wall clock loses, because somebody set it back, does not.
type clock struct {
	mu     sync.Mutex
	read   func() (monotonic, wall time.Duration)
	asleep time.Duration
	lead   time.Duration
}

func newClock(read func() (monotonic, wall time.Duration)) *clock {
	monotonic, wall := read()
	return &clock{read: read, lead: wall - monotonic}
}

func systemClock() *clock {
	start := time.Now()
	return newClock(func() (time.Duration, time.Duration) {
		now := time.Now()
		return now.Sub(start), time.Duration(now.UnixNano())
	})
}

// A time by this clock.
func (c *clock) now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	monotonic, wall := c.read()
	gained := wall - monotonic - c.lead
	if gained > noticed {
		c.asleep += gained
	}
	if gained > noticed || gained < 0 {
		c.lead += gained
	}
	return monotonic + c.asleep
}

// endOf tells until when to believe in a lease: counted from before the statement was sent, less a margin.
func endOf(sent, length time.Duration) time.Duration {
	return sent + length - longer(20*time.Millisecond, length/100)
}

// sleep waits, unless the context ends before.
func sleep(ctx context.Context, length time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}

// A pause between tries: it grows from 5 to 100 milliseconds.
type pause time.Duration

// next returns between half of the pause and all of it, so that those who wait do not come at one time.
func (p *pause) next() time.Duration {
	length := longer(5*time.Millisecond, time.Duration(*p))
	*p = pause(shorter(100*time.Millisecond, 2*length))
	return jittered(length)
}

func jittered(length time.Duration) time.Duration {
	var b [1]byte
	if _, err := rand.Read(b[:]); err != nil {
		return length
	}
	return length/2 + length/2*time.Duration(b[0])/255
}

func shorter(a, b time.Duration) time.Duration {
	if a < b {
		return a
	}
	return b
}

func longer(a, b time.Duration) time.Duration {
	if a > b {
		return a
	}
	return b
}

// A loop calls its round when the time has come, in a goroutine that lives as long as there is something to come.
type loop struct {
	clock *clock
	// Returns when to be called again, or false for never.
	round func() (time.Duration, bool)

	mu      sync.Mutex
	due     time.Duration
	running bool
	sooner  chan struct{}
}

func newLoop(c *clock, round func() (time.Duration, bool)) *loop {
	return &loop{clock: c, round: round, sooner: make(chan struct{}, 1)}
}

// at asks for a round at this time, or earlier.
func (l *loop) at(due time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.due == 0 || due < l.due {
		l.due = due
		select {
		case l.sooner <- struct{}{}:
		default:
		}
	}
	if !l.running {
		l.running = true
		go l.run()
	}
}

func (l *loop) run() {
	for {
		l.mu.Lock()
		due := l.due
		if due == 0 {
			l.running = false
			l.mu.Unlock()
			return
		}
		wait := due - l.clock.now()
		if wait <= 0 {
			l.due = 0
		}
		l.mu.Unlock()
		if wait <= 0 {
			if next, more := l.round(); more {
				l.at(next)
			}
			continue
		}
		// A timer stands still while the machine is suspended.
		select {
		case <-time.After(shorter(wait, time.Second)):
		case <-l.sooner:
		}
	}
}

// --- statements ---------------------------------------------------------------------------------------------------------------------------

// Row is a row by the names of its columns. A value is an int64, float64, bool, string, []byte, time.Time or nil.
type Row map[string]any

func (r Row) number(column string) int64 {
	number, _ := r[column].(int64)
	return number
}

func (r Row) text(column string) string {
	text, _ := r[column].(string)
	return text
}

func (r Row) isHeld() bool { return r["owner"] != nil && r.isAhead() }

// isAhead tells whether the row is held, or held back by its last holder.
func (r Row) isAhead() bool { return r.number("held_until") > r.number("read_at") }

// What is known of a statement that failed.
type outcome int

const (
	// Nothing is known.
	unknown outcome = iota
	// It was undone, and may be sent again.
	again
	// The same. Of a claim it is one of the caller's own making, and would be one again.
	duplicate
	refused
	notSent
)

func outcomeOf(err error) outcome {
	var f *failure
	if errors.As(err, &f) {
		return f.outcome
	}
	return refused
}

// database is what differs from one database to another.
type database struct {
	dialect string
	quote   string
	// Before the steps of a statement that is one transaction.
	begin []step
	// What is known after an error, by a pattern of its code. After others the statement is refused.
	outcomes map[outcome]string
	// The kind of a key and how its type is written in a list of keys, after a colon; by the type of its column.
	keyTypes map[string]string
	// What stands before the hexadecimal digits of a binary key.
	beforeHex string
	// Whether values are written into the text. Then a block that returns several results needs no prepared statement, which MariaDB has not.
	literal bool
	// Sent to ask whether a transaction is open, and the code of the error if none is.
	ask      []string
	isClosed string
	// Sent before and after a work. The second is refused with this code if the transaction has ended, also if another one was begun.
	mark     [2]string
	unmarked string
	// Whether an error may leave a transaction open that a block has begun.
	leavesOpen bool
	// The isolation for a lock without a lease.
	isolation *sql.TxOptions
}

func postgres() *database {
	return &database{
		dialect:  "postgresql",
		quote:    `"`,
		outcomes: map[outcome]string{again: "40001|40P01|55P03", duplicate: "23505", unknown: "|(08|57|58|XX).*"},
		keyTypes: map[string]string{"INT8": "number:", "INT4": "number:", "INT2": "number:", "TEXT": "text:text", "VARCHAR": "text:text",
			"BPCHAR": "text:bpchar", "BYTEA": "binary:bytea"},
		beforeHex: `\x`,
		ask:       []string{"LOCK TABLE {table} IN ACCESS SHARE MODE"},
		isClosed:  "25P01",
		// It names no table: the work may have another search_path or role. What is set so ends with the transaction.
		mark: [2]string{"SET LOCAL dibs.work = 'this'",
			"SELECT 1 / (pg_catalog.current_setting('dibs.work', true) IS NOT DISTINCT FROM 'this')::int"},
		unmarked:  "22012",
		isolation: &sql.TxOptions{Isolation: sql.LevelReadCommitted},
	}
}

// mysql is MySQL, or MariaDB.
func mysql(dialect string) *database {
	return &database{
		dialect: dialect,
		quote:   "`",
		begin:   []step{{sql: "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"}, {sql: "START TRANSACTION"}},
		outcomes: map[outcome]string{again: "1205|1213|1020|3572", duplicate: "1062",
			unknown: "|1053|107[789]|115[2389]|116[01]|1317|1927|1969|3024|4031|2..."},
		keyTypes: map[string]string{"TINYINT": "number:bigint", "SMALLINT": "number:bigint", "MEDIUMINT": "number:bigint",
			"INT": "number:bigint", "BIGINT": "number:bigint", "VARCHAR": "text:", "CHAR": "text:", "TEXT": "text:", "BINARY": "binary:", "VARBINARY": "binary:"},
		literal: true,
		// The second is refused if no transaction is open.
		ask:      []string{"SAVEPOINT dibs_guard", "RELEASE SAVEPOINT dibs_guard"},
		isClosed: "1305",
		// On MariaDB a statement after a deadlock begins another transaction.
		mark:       [2]string{"SAVEPOINT dibs_work", "RELEASE SAVEPOINT dibs_work"},
		unmarked:   "1305",
		leavesOpen: true,
		isolation:  &sql.TxOptions{Isolation: sql.LevelReadCommitted},
	}
}

func sqlite() *database {
	return &database{
		dialect: "sqlite",
		quote:   `"`,
		begin:   []step{{sql: "BEGIN IMMEDIATE"}},
		// 5 and 6: the file is busy.
		outcomes: map[outcome]string{again: "5|6", duplicate: "19", unknown: "|2|4|7|1[0-24-7]|2[12478]"},
		keyTypes: map[string]string{"INT": "number:", "CHAR": "text:", "CLOB": "text:", "TEXT": "text:", "BLOB": "binary:"},
		// BEGIN is refused if, and only if, a transaction is open.
		ask:        []string{"BEGIN"},
		mark:       [2]string{"SAVEPOINT dibs_work", "RELEASE SAVEPOINT dibs_work"},
		unmarked:   "1",
		leavesOpen: true,
	}
}

// typed returns the kind of a column as a key, how its type is written in a list of keys, and the type itself.
func (d *database) typed(column *sql.ColumnType) (kind, written, known string) {
	declared := strings.TrimPrefix(strings.ToUpper(column.DatabaseTypeName()), "UNSIGNED ")
	for known, is := range d.keyTypes {
		// By SQLite's rule, the first of these words in the declared type decides; no type here has two of them.
		if declared == known || d.dialect == "sqlite" && strings.Contains(declared, known) {
			kind, written, _ = strings.Cut(is, ":")
			return kind, written, known
		}
	}
	return "", "", ""
}

// codeOf returns the code of an error, or "" if the error did not come from the database. It reads the fields of the drivers' types, so that
// no driver need be imported.
func codeOf(err error) string {
	for ; err != nil; err = errors.Unwrap(err) {
		switch coded := err.(type) {
		case interface{ SQLState() string }:
			return coded.SQLState()
		case interface{ Code() int }:
			return strconv.Itoa(coded.Code() & 0xff)
		}
		if value := reflect.Indirect(reflect.ValueOf(err)); value.Kind() == reflect.Struct {
			if number := value.FieldByName("Number"); number.IsValid() && number.CanUint() {
				return strconv.FormatUint(number.Uint(), 10)
			}
			if code := value.FieldByName("Code"); code.IsValid() && code.CanInt() {
				return strconv.FormatInt(code.Int()&0xff, 10)
			}
		}
	}
	return ""
}

// failed tells what is known after an error.
func (d *database) failed(err error) *failure {
	code := codeOf(err)
	f := failedAs(refused, err, "")
	for is, pattern := range d.outcomes {
		if regexp.MustCompile("^(" + pattern + ")$").MatchString(code) {
			f.outcome = is
		}
	}
	switch {
	case code == "42P01" || code == "1146" || d.dialect == "sqlite" && strings.Contains(err.Error(), "no such table: dibs_"):
		f.text += "; CreateSchema, or the command 'dibs init', makes the tables"
	case d.dialect == "sqlite" && f.outcome == again:
		f.text += "; the file is busy: another connection is writing it"
	case code == "0A000" && strings.Contains(err.Error(), "cached plan"):
		// A column was added to the claimed table. pgx prepares the statement anew.
		f.outcome = again
	}
	return f
}

// Stands for a question mark in SQL of the caller's that is no parameter.
const questionMark = "\x00"

type values map[string]any

// bound returns the text of a step, and the values to bind.
func (d *database) bound(s step, given values) (string, []any) {
	if !d.literal {
		args := make([]any, len(s.binds))
		for i, name := range s.binds {
			args[i] = given[name]
		}
		return s.sql, args
	}
	var text strings.Builder
	for i, part := range strings.Split(s.sql, "?") {
		if i > 0 {
			text.WriteString(literal(given[s.binds[i-1]]))
		}
		text.WriteString(part)
	}
	return strings.ReplaceAll(text.String(), questionMark, "?"), nil
}

// literal writes a value so that neither sql_mode nor the connection's character set matters, and nothing needs to be escaped.
func literal(value any) string {
	switch v := value.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case string:
		return "_utf8mb4 x'" + hex.EncodeToString([]byte(v)) + "'"
	case []byte:
		return "x'" + hex.EncodeToString(v) + "'"
	}
	return "NULL"
}

// A list of locks by name and owner.
type pair struct {
	Name  string `json:"name"`
	Owner string `json:"owner"`
}

func (d *database) pairs(pairs []pair) values {
	if d.dialect != "postgresql" {
		text, _ := json.Marshal(pairs)
		return values{"pairs": string(text)}
	}
	names, owners := make([]string, len(pairs)), make([]string, len(pairs))
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for i, p := range pairs {
		names[i], owners[i] = `"`+escape.Replace(p.Name)+`"`, p.Owner
	}
	return values{"names": "{" + strings.Join(names, ",") + "}", "owners": "{" + strings.Join(owners, ",") + "}"}
}

// A connection, or a transaction of the caller's.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// The answer of all steps together.
type answer struct {
	rows    []Row
	count   int64
	isHeld  bool
	columns []*sql.ColumnType
}

func (a *answer) first() Row {
	if len(a.rows) == 0 {
		return nil
	}
	return a.rows[0]
}

// send sends the steps, each under its condition.
func (d *database) send(ctx context.Context, on querier, steps []step, given values) (*answer, error) {
	all := &answer{}
	for _, s := range steps {
		if s.when == "if no row so far" && len(all.rows) > 0 || s.when == "unless held" && all.isHeld {
			continue
		}
		text, args := d.bound(s, given)
		if err := d.sendText(ctx, on, text, args, all); err != nil {
			return nil, d.failed(err)
		}
	}
	return all, nil
}

var changes = regexp.MustCompile(`^\s*(INSERT|UPDATE|DELETE|CREATE)\b`)

func (d *database) sendText(ctx context.Context, on querier, text string, args []any, all *answer) error {
	if changes.MatchString(text) && !strings.Contains(text, "RETURNING") {
		result, err := on.ExecContext(ctx, text, args...)
		if err != nil {
			return err
		}
		count, err := result.RowsAffected()
		all.count += count
		return err
	}
	rows, err := on.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for {
		if err := d.read(rows, all); err != nil {
			return err
		}
		if !rows.NextResultSet() {
			return rows.Err()
		}
	}
}

func (d *database) read(rows *sql.Rows, all *answer) error {
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	all.columns = append(all.columns, types...)
	for rows.Next() {
		read := make([]any, len(types))
		places := make([]any, len(types))
		for i := range read {
			places[i] = &read[i]
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		row := Row{}
		for i, column := range types {
			row[column.Name()] = d.converted(read[i], column.DatabaseTypeName())
		}
		all.rows = append(all.rows, row)
		all.isHeld = all.isHeld || row.isHeld()
	}
	return rows.Err()
}

var binaryType = regexp.MustCompile("BLOB|BINARY|BYTEA|BIT|GEOMETRY")

// converted makes the same of a value, whatever the driver and its protocol make of it.
func (d *database) converted(value any, columnType string) any {
	bytes, is := value.([]byte)
	if !is {
		return value
	}
	if columnType = strings.ToUpper(columnType); binaryType.MatchString(columnType) {
		return bytes
	}
	text := string(bytes)
	if d.literal {
		if number, err := strconv.ParseInt(text, 10, 64); err == nil && strings.Contains(columnType, "INT") {
			return number
		}
		if number, err := strconv.ParseFloat(text, 64); err == nil && (columnType == "DOUBLE" || columnType == "FLOAT") {
			return number
		}
	}
	return text
}

func ended(what string) error {
	return refusal("%s needs a transaction that is open; this one has ended, as by a ROLLBACK that was sent through it", what)
}

// requireOpen refuses a transaction that has ended behind the back of database/sql, as by a ROLLBACK that was sent as a statement. A statement
// would be a transaction of its own there.
func (d *database) requireOpen(ctx context.Context, tx *sql.Tx, what, table string) error {
	closed := ended(what)
	for _, text := range d.ask {
		_, err := tx.ExecContext(ctx, strings.ReplaceAll(text, "{table}", table))
		switch {
		case d.dialect == "sqlite" && err == nil:
			if _, err := tx.ExecContext(ctx, "ROLLBACK"); err != nil {
				return d.failed(err)
			}
			return closed
		case d.dialect == "sqlite" && codeOf(err) == "1":
			return nil
		case err != nil && d.isClosed != "" && codeOf(err) == d.isClosed:
			return closed
		case err != nil:
			return d.failed(err)
		}
	}
	return nil
}

// --- the entry ----------------------------------------------------------------------------------------------------------------------------

// Options of a Store.
type Options struct {
	// How long a lease lasts without being renewed: 100 ms to a day. By default 30 seconds.
	Lease time.Duration
	// Who this is, for people; decides nothing. By default host and process, as "host:4711".
	Holder string
}

// Store is the entry: coordination through one database. Have one in a process.
type Store struct {
	db         *sql.DB
	database   *database
	statements map[string]statement
	clock      *clock
	lease      time.Duration
	holder     string

	// The tables of a protocol that is spoken here.
	checked sync.Map

	renewals, deadlines *loop
	// Two at a time release what could not be released at once.
	releasing chan struct{}

	mu     sync.Mutex
	closed bool
	kept   map[kept]struct{}
}

// A lease or a claim, which is renewed until its end.
type kept interface {
	// Ends it here if its time is over. Returns its end, or 0 if it is over.
	expire() time.Duration
	renewalAt() time.Duration
	giveUp(ctx context.Context) error
}

// Open asks the database which one it is, and returns a Store for it. The pool is the caller's: Dibs takes a connection for each statement, and
// gives it back. Give the pool's connections time limits where the driver has them.
func Open(ctx context.Context, db *sql.DB, options Options) (*Store, error) {
	if options.Lease == 0 {
		options.Lease = 30 * time.Second
	}
	if options.Holder == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "unknown"
		}
		options.Holder = fmt.Sprintf("%.100s:%d", host, os.Getpid())
	}
	if err := checkText("Holder", options.Holder, 200); err != nil {
		return nil, err
	}
	d, err := databaseOf(ctx, db)
	if err != nil {
		return nil, err
	}
	s := &Store{
		db: db, database: d, statements: allStatements[d.dialect], clock: systemClock(), lease: options.Lease, holder: options.Holder,
		releasing: make(chan struct{}, 2), kept: map[kept]struct{}{},
	}
	s.renewals = newLoop(s.clock, s.renew)
	s.deadlines = newLoop(s.clock, s.expire)
	return s, nil
}

func databaseOf(ctx context.Context, db *sql.DB) (*database, error) {
	var version string
	err := db.QueryRowContext(ctx, "SELECT version()").Scan(&version)
	if err != nil && codeOf(err) == "1" {
		// SQLite has no such function.
		return sqlite(), nil
	}
	if strings.HasPrefix(version, "PostgreSQL ") {
		var encoding string
		if err := db.QueryRowContext(ctx, "SHOW client_encoding").Scan(&encoding); err != nil {
			return nil, postgres().failed(err)
		}
		if encoding != "UTF8" {
			return nil, refusal("client_encoding is %s, in which a name would be another lock: add client_encoding=UTF8 to the connection string", encoding)
		}
		return postgres(), nil
	}
	if err == nil && !strings.Contains(version, "TiDB") && version != "" && version[0] >= '0' && version[0] <= '9' {
		one := &answer{}
		err = mysql("").sendText(ctx, db, "SELECT one.autocommit FROM (SELECT @@autocommit AS autocommit) AS one", nil, one)
		autocommit, isPlain := one.first()["autocommit"]
		switch {
		case err == nil && !isPlain:
			return nil, refusal("the names of columns begin with those of tables: leave columnsWithAlias out of the DSN")
		case err == nil && autocommit != int64(1):
			return nil, refusal("the pool's connections begin with autocommit off: leave it on in the DSN")
		case err == nil && strings.Contains(version, "MariaDB"):
			return mysql("mariadb"), nil
		case err == nil:
			return mysql("mysql"), nil
		}
	}
	return nil, as(nil, err, "this database is not known here, or does not answer: %s %v", version, err)
}

// run sends all steps of a statement over one connection. The pool itself may send a statement again, over another connection, if the first one
// has died; a token must not be sent twice.
func (s *Store) run(ctx context.Context, one statement, given values) (*answer, error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, failedAs(notSent, err, "")
	}
	defer conn.Close()
	steps := one.steps
	if one.together {
		steps = append(append(append([]step{}, s.database.begin...), steps...), step{sql: "COMMIT"})
	}
	all, err := s.database.send(ctx, conn, steps, given)
	if err != nil && !s.isUsable(conn, one, err) {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	if err != nil && ctx.Err() != nil {
		// Whatever the driver makes of it.
		err = failedAs(outcomeOf(err), ctx.Err(), "; "+err.Error())
	}
	return all, err
}

// isUsable tells whether a connection can go back to the pool after an error: nothing is on its way, and no transaction is open.
func (s *Store) isUsable(conn *sql.Conn, one statement, failed error) bool {
	if outcomeOf(failed) == unknown {
		return false
	}
	if !one.together && !s.database.leavesOpen {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), shortestAnswer)
	defer cancel()
	_, err := conn.ExecContext(ctx, "ROLLBACK")
	// SQLite refuses it if no transaction is open.
	return err == nil || s.database.failed(err).outcome == refused
}

func (s *Store) runNamed(ctx context.Context, name string, given values) (*answer, error) {
	table := "dibs_lock"
	if strings.HasSuffix(name, "_token") {
		table = "dibs_token"
	}
	if _, is := s.checked.Load(table); !is && !strings.HasPrefix(name, "create_") {
		if err := s.requireProtocol(ctx, table); err != nil {
			return nil, err
		}
		s.checked.Store(table, true)
	}
	return s.run(ctx, s.statements[name], given)
}

var protocolMark = regexp.MustCompile(`(?i)^protocol_([1-9][0-9]{0,8})$`)

// requireProtocol refuses a table of a later protocol: it has a column protocol_N, N from 2 on.
func (s *Store) requireProtocol(ctx context.Context, table string) error {
	all, err := s.run(ctx, statement{steps: []step{{sql: "SELECT * FROM " + table + " WHERE 1 = 0"}}}, nil)
	if err != nil {
		return err
	}
	newest := protocol
	for _, column := range all.columns {
		if found := protocolMark.FindStringSubmatch(column.Name()); found != nil {
			if number, _ := strconv.Atoi(found[1]); number > newest {
				newest = number
			}
		}
	}
	if newest > protocol {
		return refusal("the table %s is of protocol %d, and this client speaks protocol %d: take a newer one; nothing was written", table, newest, protocol)
	}
	return nil
}

// inTransaction begins a transaction, and commits it if both functions return no error.
func (s *Store) inTransaction(ctx context.Context, options *sql.TxOptions, first, work func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, options)
	if err != nil {
		return failedAs(notSent, err, "")
	}
	sent := false
	defer func() {
		// Also if the work panics.
		if !sent {
			_ = tx.Rollback()
		}
	}()
	if err := first(tx); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, s.database.mark[0]); err != nil {
		return s.database.failed(err)
	}
	if err := work(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("dibs: the transaction was rolled back: %w", err)
	}
	// A deadlock, or a statement of the work's, may have ended it, and with it the lock.
	if _, err := tx.ExecContext(ctx, s.database.mark[1]); err != nil {
		if codeOf(err) == s.database.unmarked {
			return ended("InTransaction")
		}
		return s.database.failed(err)
	}
	sent = true
	if err := tx.Commit(); err != nil {
		f := s.database.failed(err)
		if f.outcome == unknown {
			return as(ErrUnknownOutcome, err, "whether the transaction was committed is not known; the answer was lost: %v", err)
		}
		return f
	}
	return nil
}

// CreateSchema makes the tables of locks and tokens that are not there. Many processes may call it at once.
func (s *Store) CreateSchema(ctx context.Context) error {
	for _, name := range []string{"create_lock", "create_token"} {
		_, err := s.runNamed(ctx, name, nil)
		// On PostgreSQL, two that make a table at the same instant may both see that it is not there.
		for i := 1; err != nil && i < tries; i++ {
			_, err = s.runNamed(ctx, name, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Lock returns a lock by its name: 1 to 200 characters, compared exactly. Lock("sync:42") is dibs.lock("sync", 42) in Java.
func (s *Store) Lock(name string) *Lock {
	return &Lock{s, name, s.lease}
}

// Close releases all leases and claims. What cannot be released now is released in the background, or ends by time.
func (s *Store) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	var failed error
	for _, one := range s.all() {
		if err := one.giveUp(ctx); err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

// tryLater calls a function in the background until it returns true, for this length at most.
func (s *Store) tryLater(length time.Duration, attempt func(ctx context.Context) bool) {
	until := s.clock.now() + length
	go func() {
		for wait := 5 * time.Millisecond; s.clock.now() < until; wait = shorter(2*time.Second, 2*wait) {
			s.releasing <- struct{}{}
			ctx, cancel := context.WithTimeout(context.Background(), shorter(longestRelease, longer(shortestAnswer, length/2)))
			done := attempt(ctx)
			cancel()
			<-s.releasing
			if done {
				return
			}
			time.Sleep(jittered(wait))
		}
	}()
}

// last is the context of a release. If the caller's has ended, as at the end of a program, it is tried once all the same.
func last(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(context.Background(), shortestAnswer)
}

// releaseLater releases a lock in the background. A ghost is a token whose acquire was never answered: it may land after any look, and is
// released for a whole lease.
func (s *Store) releaseLater(p pair, length time.Duration, ghost bool) {
	s.tryLater(length, func(ctx context.Context) bool {
		released, err := s.release(ctx, p)
		if err != nil || released || ghost {
			return err == nil && released
		}
		found, err := s.runNamed(ctx, "find_locks", s.database.pairs([]pair{p}))
		return err == nil && len(found.rows) == 0
	})
}

func (s *Store) release(ctx context.Context, p pair) (bool, error) {
	all, err := s.runNamed(ctx, "release_lock", values{"name": p.Name, "owner": p.Owner})
	return err == nil && (len(all.rows) > 0 || all.count > 0), err
}

// A part of a lease or a claim: when to renew it, and the mutex for all of it.
type renewing struct {
	store   *Store
	mu      sync.Mutex
	renewAt time.Duration
}

func (r *renewing) renewalAt() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.renewAt
}

func (r *renewing) renewAgainAt(at time.Duration) {
	r.mu.Lock()
	r.renewAt = at
	r.mu.Unlock()
	r.store.renewals.at(at)
}

func (s *Store) all() []kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []kept
	for one := range s.kept {
		all = append(all, one)
	}
	return all
}

func (s *Store) keep(one kept, renewAt, end time.Duration) error {
	s.mu.Lock()
	s.kept[one] = struct{}{}
	closed := s.closed
	s.mu.Unlock()
	if closed {
		ctx, cancel := context.WithTimeout(context.Background(), shortestAnswer)
		defer cancel()
		_ = one.giveUp(ctx)
		return as(ErrClosed, nil, "this Store is closed")
	}
	s.renewals.at(renewAt)
	s.deadlines.at(end)
	return nil
}

func (s *Store) forget(one kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, one)
}

func earliest(all []kept, of func(kept) time.Duration) (next time.Duration, more bool) {
	for _, one := range all {
		if at := of(one); at > 0 && (!more || at < next) {
			next, more = at, true
		}
	}
	return next, more
}

// expire ends the leases and claims whose time is over. It sends no statement, so that a database that hangs cannot keep it from that.
func (s *Store) expire() (time.Duration, bool) { return earliest(s.all(), kept.expire) }

// renew renews the claims that are due, and the leases, with those that will be soon: all leases of one length in one statement. It waits for
// none of them.
func (s *Store) renew() (time.Duration, bool) {
	now := s.clock.now()
	batches := map[time.Duration][]*Lease{}
	due := map[time.Duration]bool{}
	for _, one := range s.all() {
		at := one.renewalAt()
		switch one := one.(type) {
		case *Lease:
			due[one.length] = due[one.length] || at <= now
			if at-now <= one.length/6 && len(batches[one.length]) < renewedAtOnce {
				batches[one.length] = append(batches[one.length], one)
			}
		case *Claim:
			if at <= now {
				one.renewAgainAt(now + one.claims.length/3)
				go one.renew()
			}
		}
	}
	for length, batch := range batches {
		if due[length] {
			for _, lease := range batch {
				lease.renewAgainAt(now + length/3)
			}
			go s.renewBatch(length, batch)
		}
	}
	return earliest(s.all(), kept.renewalAt)
}

func (s *Store) renewBatch(length time.Duration, batch []*Lease) {
	sent := s.clock.now()
	ctx, cancel := context.WithTimeout(context.Background(), longer(shortestAnswer, length/2))
	defer cancel()
	renewed, missing, err := s.ask(ctx, "renew_locks", batch)
	for _, lease := range renewed {
		lease.extend(endOf(sent, length))
	}
	if err == nil && len(missing) > 0 {
		// A row that is locked is passed over.
		if locked, lost, err := s.ask(ctx, "find_locks", missing); err == nil {
			missing = locked
			for _, lease := range lost {
				lease.lose("the database says that it is not ours any more; it was taken over or broken, or it has expired")
			}
		}
	}
	for _, lease := range missing {
		lease.renewAgainAt(s.clock.now() + retryPause(length))
	}
}

// ask sends a statement about leases of one length. It returns those that come back, and the others; after an error all are others.
func (s *Store) ask(ctx context.Context, name string, leases []*Lease) (back, others []*Lease, err error) {
	pairs := make([]pair, len(leases))
	for i, lease := range leases {
		pairs[i] = lease.pair
	}
	given := s.database.pairs(pairs)
	given["lease"] = leases[0].length.Milliseconds()
	all, err := s.runNamed(ctx, name, given)
	if err != nil {
		return nil, leases, err
	}
	owners := map[string]bool{}
	for _, row := range all.rows {
		owners[row.text("owner")] = true
	}
	for _, lease := range leases {
		if owners[lease.pair.Owner] {
			back = append(back, lease)
		} else {
			others = append(others, lease)
		}
	}
	return back, others, nil
}

func retryPause(length time.Duration) time.Duration {
	return jittered(shorter(500*time.Millisecond, longer(20*time.Millisecond, length/30)))
}

// --- locks --------------------------------------------------------------------------------------------------------------------------------

// Lock is a lock that can be acquired. It keeps nothing: make as many as you like.
type Lock struct {
	store *Store
	name  string
	lease time.Duration
}

// WithLease returns the same lock with another length of its leases: 100 ms to a day.
func (l *Lock) WithLease(length time.Duration) *Lock {
	return &Lock{l.store, l.name, length}
}

func (l *Lock) check() error {
	if err := checkText("the lock's name", l.name, 200); err != nil {
		return err
	}
	return checkLength("the lease", l.lease, 100*time.Millisecond, 24*time.Hour)
}

// TryAcquire returns a lease, or ErrBusy if somebody else holds the lock.
func (l *Lock) TryAcquire(ctx context.Context) (*Lease, error) { return l.Acquire(ctx, 0) }

// Acquire returns a lease. It waits for this length at most, or until the context ends. ErrBusy: somebody else held the lock all the time.
func (l *Lock) Acquire(ctx context.Context, wait time.Duration) (*Lease, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	var lease *Lease
	err := l.try(ctx, wait, func(looks bool) (busy Row, err error) {
		if looks {
			if busy, err = l.look(ctx); busy.isAhead() || err != nil {
				return busy, err
			}
		}
		lease, busy, err = l.send(ctx)
		return busy, err
	})
	return lease, err
}

// try calls a function until it returns neither the row that is in the way nor an error, and pauses in between. After an error that may go away
// it calls it again, too.
func (l *Lock) try(ctx context.Context, wait time.Duration, attempt func(looks bool) (Row, error)) error {
	clock := l.store.clock
	begin := clock.now()
	patience := longer(wait, shorter(longestRetry, l.lease/3))
	var p pause
	looks := false
	for failures := 0; ; {
		busy, err := attempt(looks)
		if busy == nil && err == nil {
			return nil
		}
		length := p.next()
		if err != nil {
			failures++
			isOver := clock.now()-begin >= patience || wait == 0 && failures >= tries
			if is := outcomeOf(err); isOver || is != again && is != duplicate {
				return err
			}
		} else {
			left := wait - (clock.now() - begin)
			if left <= 0 {
				by := "; a transaction has it"
				if busy.isHeld() {
					by = " by " + busy.text("holder")
				}
				return as(ErrBusy, nil, "%q is held%s", l.name, by)
			}
			looks = true
			length = shorter(length, left)
			if busy.isAhead() {
				length = shorter(length, longer(time.Millisecond, time.Duration(busy.number("held_until")-busy.number("read_at"))*time.Millisecond))
			}
		}
		if err := sleep(ctx, length); err != nil {
			return fmt.Errorf("dibs: waiting for %q: %w", l.name, err)
		}
	}
}

// look returns the row, read without a lock, or nil if the name has none.
func (l *Lock) look(ctx context.Context) (Row, error) {
	all, err := l.store.runNamed(ctx, "look_lock", values{"name": l.name})
	if err != nil {
		return nil, retried(ctx, err)
	}
	return all.first(), nil
}

// send sends one acquire, with a token that is never sent again. It returns the lease, or the row that is in the way.
func (l *Lock) send(ctx context.Context) (*Lease, Row, error) {
	s := l.store
	owner, err := random(16)
	if err != nil {
		return nil, nil, err
	}
	p := pair{l.name, owner}
	sent := s.clock.now()
	end := endOf(sent, l.lease)
	all, err := s.runNamed(ctx, "acquire_lock",
		values{"name": l.name, "owner": owner, "holder": s.holder, "lease": l.lease.Milliseconds()})
	if err != nil && outcomeOf(err) == unknown {
		found := s.lookUp(ctx, func() (*answer, error) { return s.runNamed(ctx, "find_locks", s.database.pairs([]pair{p})) })
		if found == nil || s.clock.now() >= end {
			s.releaseLater(p, l.lease, true)
			return nil, nil, retried(ctx, err)
		}
		all, err = found, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, row := range all.rows {
		if row.text("owner") != owner {
			continue
		}
		if s.clock.now() >= end {
			s.releaseLater(p, l.lease, false)
			return nil, nil, failedAs(again, errors.New("the grant came after its own end"), "")
		}
		lease := &Lease{pair: p, fence: row.number("fence"), length: l.lease, end: end, lost: make(chan struct{})}
		lease.store, lease.renewAt = s, sent+l.lease/3
		if err := s.keep(lease, lease.renewAt, end); err != nil {
			return nil, nil, err
		}
		return lease, nil, nil
	}
	if len(all.rows) == 0 {
		return nil, nil, failedAs(again, errors.New("two were first at the same instant"), "")
	}
	return nil, all.rows[0], nil
}

// lookUp looks for a token after a lost answer. Nil: it is not there, or not yet, or the caller does not wait for it.
func (s *Store) lookUp(ctx context.Context, find func() (*answer, error)) *answer {
	for i := 0; i < lookUps && ctx.Err() == nil; i++ {
		found, err := find()
		if err == nil && (len(found.rows) == 0 || ctx.Err() != nil) {
			return nil
		}
		if err == nil {
			return found
		}
		_ = sleep(ctx, 10*time.Millisecond<<i)
	}
	return nil
}

// retried makes a dead connection of the pool a reason to ask again, with a new token: after a restart of the server all are dead.
func retried(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, driver.ErrBadConn) {
		return failedAs(again, err, "")
	}
	return err
}

// InTransaction holds the lock for one transaction, up to its end and without a lease: nothing renews it. It begins the transaction, locks, calls
// the function, and commits if that returns no error. Else it rolls back, and returns that error.
//
// It waits for this length at most, then ErrBusy. It needs one connection at a time: before the transaction it looks, and gives the
// connection back. On PostgreSQL, MariaDB and MySQL the transaction is READ COMMITTED. ErrUnknownOutcome: the answer to the commit was lost.
//
// Return an error of the database, and send nothing after it: a deadlock ends the whole transaction, and a statement after that may be stored at once.
func (l *Lock) InTransaction(ctx context.Context, wait time.Duration, work func(tx *sql.Tx) error) error {
	if err := l.check(); err != nil {
		return err
	}
	var came error
	err := l.try(ctx, wait, func(bool) (Row, error) {
		if busy, err := l.prepare(ctx); busy != nil || err != nil {
			return busy, err
		}
		missed, begun := false, false
		err := l.store.inTransaction(ctx, l.store.database.isolation, func(tx *sql.Tx) error {
			is, err := l.guardFree(ctx, tx)
			missed, begun = err == nil && !is, is
			if missed {
				return ErrBusy
			}
			return err
		}, work)
		switch {
		case missed:
			return Row{}, nil
		case begun:
			// Whatever came of the work, it is not done again.
			came = err
			return nil, nil
		}
		return nil, retried(ctx, err)
	})
	if err != nil {
		return err
	}
	return came
}

// prepare adds the row of a new name, or returns the row that is in the way. It does so before the transaction, which must not take a second
// connection.
func (l *Lock) prepare(ctx context.Context) (Row, error) {
	row, err := l.look(ctx)
	switch {
	case row.isAhead() || err != nil:
		return row, err
	case row != nil:
		return nil, nil
	}
	lease, busy, err := l.send(ctx)
	if lease != nil && err == nil {
		// If it cannot be released now, the guard finds that out.
		_ = lease.Release(ctx)
	}
	return busy, err
}

func (l *Lock) guardFree(ctx context.Context, tx *sql.Tx) (bool, error) {
	d, given := l.store.database, values{"name": l.name}
	all, err := d.send(ctx, tx, l.store.statements["guard_free_lock"].steps, given)
	if err != nil {
		return false, err
	}
	row := all.first()
	if row == nil {
		return false, nil
	}
	if row.number("is_old") == 1 {
		return false, refusal("the lock needs READ COMMITTED: the transaction may see a time before it got the lock")
	}
	if row["owner"] != nil {
		_, err = d.send(ctx, tx, l.store.statements["take_expired_lock"].steps, given)
	}
	return err == nil, err
}

type leaseState int

const (
	held leaseState = iota
	released
	over
)

// Lease is a lock that is held. A goroutine renews it until it is released or lost.
type Lease struct {
	pair   pair
	fence  int64
	length time.Duration
	lost   chan struct{}

	renewing
	state  leaseState
	end    time.Duration
	reason string
}

// Fence returns the fencing token: it is greater than that of every lease on this lock before.
func (l *Lease) Fence() int64 { return l.fence }

// Lost returns a channel that is closed when the lease is lost. A lease that is released in time is not lost.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Check returns nil while the lease is held, and an ErrLost after its loss. It sends no statement.
func (l *Lease) Check() error {
	if l.expire() > 0 {
		return nil
	}
	if err := l.afterwards(); err != nil {
		return err
	}
	return refusal("the lease on %q is released", l.pair.Name)
}

func (l *Lease) loss(reason string) error {
	return as(ErrLost, nil, "the lease on %q (fencing token %d) is lost: %s", l.pair.Name, l.fence, reason)
}

// Guard joins a transaction of the caller's: nobody gets the lock before it ends. It must be the transaction's first statement. After an error
// roll back; ErrLost says that the lock is not ours. It uses no connection but that of the transaction.
func (l *Lease) Guard(ctx context.Context, tx *sql.Tx) error {
	if err := l.Check(); err != nil {
		return err
	}
	s := l.store
	if err := s.database.requireOpen(ctx, tx, "Guard", "dibs_lock"); err != nil {
		return err
	}
	all, err := s.database.send(ctx, tx, s.statements["guard_lock"].steps, values{"name": l.pair.Name, "owner": l.pair.Owner})
	if err != nil {
		return err
	}
	if len(all.rows) == 0 {
		l.renewAgainAt(s.clock.now())
		return l.loss("in this transaction it is not ours; roll back")
	}
	return nil
}

// InTransaction begins a transaction, guards it, calls the function, and commits if that returns no error. Else it rolls back, and returns that
// error. ErrLost: the lock is not ours, and the function was not called. ErrUnknownOutcome: the answer to the commit was lost.
//
// As in that of Lock, return an error of the database, and send nothing after it.
func (l *Lease) InTransaction(ctx context.Context, work func(tx *sql.Tx) error) error {
	if err := l.Check(); err != nil {
		return err
	}
	return l.store.inTransaction(ctx, nil, func(tx *sql.Tx) error { return l.Guard(ctx, tx) }, work)
}

// Release gives the lock back. ErrLost: it was not ours any more, so what was done under it may have been done twice. ErrUnknownOutcome: the
// database could not tell; then a goroutine goes on, until the lock is free. A second call does nothing. After the end of the context it tries
// once all the same, for a second at most.
func (l *Lease) Release(ctx context.Context) error {
	if l.expire() == 0 {
		return l.afterwards()
	}
	l.mu.Lock()
	if l.state != held {
		l.mu.Unlock()
		return l.afterwards()
	}
	l.state = released
	l.mu.Unlock()
	s := l.store
	s.forget(l)
	ctx, cancel := last(ctx)
	defer cancel()
	var failed error
	for i := 0; i < tries; i++ {
		is, err := s.release(ctx, l.pair)
		if is {
			return nil
		}
		if failed = err; err != nil || sleep(ctx, 2*time.Millisecond) != nil {
			break
		}
	}
	if failed == nil {
		found, _, err := s.ask(ctx, "find_locks", []*Lease{l})
		if err == nil && found == nil {
			l.mu.Lock()
			l.state, l.reason = over, "its release found that it was not ours any more; it was broken or taken over before"
			l.mu.Unlock()
			close(l.lost)
			return l.afterwards()
		}
		failed = err
	}
	s.releaseLater(l.pair, l.length, false)
	if failed == nil {
		failed = errors.New("a transaction has its row")
	}
	return as(ErrUnknownOutcome, failed, "the lock %q is released in the background: %v", l.pair.Name, failed)
}

// afterwards is the error of a lease that is over: nil if it was released.
func (l *Lease) afterwards() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == over {
		return l.loss(l.reason)
	}
	return nil
}

// expire ends the lease here if its time is over. It returns its end, or 0 if it is not held.
func (l *Lease) expire() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == held && l.store.clock.now() < l.end {
		return l.end
	}
	l.loseNow("it expired without a renewal that got through in time")
	return 0
}

func (l *Lease) lose(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loseNow(reason)
}

// loseNow is for those who have the mutex.
func (l *Lease) loseNow(reason string) {
	if l.state != held {
		return
	}
	l.state, l.reason = over, reason
	close(l.lost)
	l.store.forget(l)
	// The row may still name us: others need not wait for its end.
	l.store.releaseLater(l.pair, l.length, false)
}

// extend sets a later end. A loss is final: an answer that comes too late changes nothing.
func (l *Lease) extend(end time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == held && l.store.clock.now() < l.end && end > l.end {
		l.end = end
	}
}

func (l *Lease) giveUp(ctx context.Context) error { return l.Release(ctx) }

// --- claims -------------------------------------------------------------------------------------------------------------------------------

// ClaimOptions describe the table whose rows are claimed. Names are plain, or quoted as the database wants it; the table's may have its schema before
// it.
//
// Where, Order and CompleteSet are SQL of yours and go into statements as they are: never build them from what a user has written.
type ClaimOptions struct {
	Table string
	// A unique column of whole numbers, texts or bytes. By default id.
	Key string
	// A text of at least 32 characters, NULL in a row that nobody has claimed. By default claimed_by.
	Token string
	// A bigint: until when a claim holds, in milliseconds by the database's clock. By default claimed_until.
	Until string
	// Which rows are to be done. A completed row must not match it any more.
	Where string
	// In which order; by default that of the key.
	Order string
	// What completing does to a row, as "sent_at = CURRENT_TIMESTAMP". Without it the row only loses its mark.
	CompleteSet string
	// Completing deletes the row.
	CompleteDelete bool
	// How long a claim holds without being renewed: 100 ms to a day. By default that of the Store.
	Lease time.Duration
}

// Claims makes claims on the rows of one table.
type Claims struct {
	store      *Store
	table      string
	length     time.Duration
	completes  string
	key        string
	keyKind    string
	isChar     bool
	statements map[string]statement
}

// Claims looks at the table: a missing or wrong column, or a mistake in the SQL, is an error here.
func (s *Store) Claims(ctx context.Context, options ClaimOptions) (*Claims, error) {
	o := options
	o.Key, o.Token, o.Until = orElse(o.Key, "id"), orElse(o.Token, "claimed_by"), orElse(o.Until, "claimed_until")
	if o.Lease == 0 {
		o.Lease = s.lease
	}
	if err := checkLength("the lease", o.Lease, 100*time.Millisecond, 24*time.Hour); err != nil {
		return nil, err
	}
	c := &Claims{store: s, table: o.Table, length: o.Lease, completes: "complete_rows"}
	if o.CompleteDelete {
		c.completes = "delete_rows"
	}
	texts, err := s.claimTexts(o)
	if err != nil {
		return nil, err
	}
	all, err := s.run(ctx, filled(s.statements["check_condition"], strings.NewReplacer(texts...)), nil)
	if err != nil {
		return nil, err
	}
	var written string
	for what, name := range map[string]string{"key": o.Key, "token": o.Token, "until": o.Until} {
		bare, _ := checkName(name)
		column := columnOf(all.columns, bare)
		if column == nil {
			return nil, refusal("%s has no column %s", o.Table, bare)
		}
		kind, type1, known := s.database.typed(column)
		switch {
		case what == "key" && kind == "":
			return nil, refusal("the column %s of %s cannot be the key: it is no whole number, text or bytes", bare, o.Table)
		case what == "token" && kind != "text":
			return nil, refusal("the column %s of %s is not a text; a token needs 32 characters", bare, o.Table)
		case what == "until" && known != "INT8" && known != "BIGINT" && !(known == "INT" && s.database.dialect == "sqlite"):
			return nil, refusal("the column %s of %s is not a bigint; it is to hold milliseconds since 1970", bare, o.Table)
		case what == "key":
			c.key, c.keyKind, written, c.isChar = column.Name(), kind, type1, known == "BPCHAR" || known == "CHAR" && s.database.literal
		}
	}
	if c.keyKind == "binary" && s.database.dialect == "sqlite" {
		if _, err := s.run(ctx, statement{steps: []step{{sql: "SELECT unhex('')"}}}, nil); err != nil {
			return nil, as(nil, err, "the key of %s cannot be bytes: that needs SQLite 3.41, which has unhex", o.Table)
		}
	}
	if s.database.literal && c.keyKind != "binary" {
		one := statement{steps: []step{{sql: "SHOW COLUMNS FROM {table}"}, {sql: "SELECT @@character_set_results AS letters"}}}
		shown, err := s.run(ctx, filled(one, strings.NewReplacer(texts...)), nil)
		if err != nil {
			return nil, err
		}
		for _, row := range shown.rows {
			letters, is := row["letters"]
			switch {
			case is && c.keyKind == "text" && letters != "utf8mb4":
				return nil, refusal("keys of %s would come in the character set %v, and become others: add charset=utf8mb4 to the DSN", o.Table, letters)
			// Older drivers do not tell.
			case row.text("Field") == c.key && strings.Contains(row.text("Type"), "unsigned"):
				written = "bigint unsigned"
			}
		}
	}
	texts = append([]string{"{type}", written}, texts...)
	of, fill := allKeyTexts[s.database.dialect][c.keyKind], strings.NewReplacer(texts...)
	texts = append(texts, "{key_list}", fill.Replace(of.list), "{key_match}", fill.Replace(of.match), "{key_member}", fill.Replace(of.member))
	c.statements = map[string]statement{}
	for _, name := range strings.Fields("claim_rows find_rows still_rows renew_rows release_rows postpone_rows release_token " + c.completes) {
		c.statements[name] = filled(s.statements[name], strings.NewReplacer(texts...))
	}
	return c, nil
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// claimTexts returns names in curly brackets, each with what stands in its place.
func (s *Store) claimTexts(o ClaimOptions) ([]string, error) {
	for _, name := range []string{o.Table, o.Key, o.Token, o.Until} {
		if _, err := checkName(name); err != nil {
			return nil, err
		}
	}
	for what, text := range map[string]string{"Where": o.Where, "Order": o.Order, "CompleteSet": o.CompleteSet} {
		if err := checkSQL(what, text, s.database.quote); err != nil {
			return nil, err
		}
	}
	effect := o.CompleteSet
	if effect != "" {
		effect += ", "
	}
	// No statement finds a row whose key is NULL.
	where := fmt.Sprintf("t.%s IS NOT NULL AND (%s)", o.Key, orElse(o.Where, "1 = 1"))
	texts := []string{"{table}", o.Table, "{key}", o.Key, "{token}", o.Token, "{until}", o.Until, "{where}", where,
		"{order}", orElse(o.Order, o.Key), "{effect}, ", effect}
	for i := range texts {
		if s.database.literal {
			texts[i] = strings.ReplaceAll(texts[i], "?", questionMark)
		}
	}
	return texts, nil
}

// columnOf returns a column as the database has it: a name that is not quoted may be folded to lower case.
func columnOf(columns []*sql.ColumnType, bare string) *sql.ColumnType {
	var found *sql.ColumnType
	for _, column := range columns {
		if column.Name() == bare || found == nil && strings.EqualFold(column.Name(), bare) {
			found = column
		}
	}
	return found
}

func filled(one statement, texts *strings.Replacer) statement {
	steps := make([]step, len(one.steps))
	for i, s := range one.steps {
		s.sql = texts.Replace(s.sql)
		steps[i] = s
	}
	return statement{one.together, steps}
}

const namePart = `[\pL_][\pL\pN_$]*|"(?:[^"\x00]|"")+"|` + "`(?:[^`\\x00]|``)+`"

var nameForm = regexp.MustCompile(`^(?:(?:` + namePart + `)\.){0,2}(` + namePart + `)$`)

// checkName returns the last part of a name without quotes.
func checkName(text string) (bare string, err error) {
	found := nameForm.FindStringSubmatch(text)
	if found == nil || len(text) > 1000 {
		return "", refusal("%q is not a name: letters, digits and underscores, or quoted as the database wants it", text)
	}
	bare = found[1]
	if end := bare[:1]; end == `"` || end == "`" {
		bare = strings.ReplaceAll(bare[1:len(bare)-1], end+end, end)
	}
	return bare, nil
}

// What SQL of the caller's is made of, as far as it matters: quoted text, what a colon or a question mark does not make a parameter, and what it
// must not have.
var tokenOfSQL = regexp.MustCompile("'[^']*'|\"[^\"]*\"|`[^`]*`|\\[[^]]*]|::|--|/\\*|[\\w$]+|[^\\s]")

// checkSQL refuses SQL of the caller's that is not complete in itself: it must not change what stands around it.
func checkSQL(what, text, quote string) error {
	depth := 0
	wrong := ""
	for _, token := range tokenOfSQL.FindAllString(text, -1) {
		switch {
		case token == "(":
			depth++
		case token == ")":
			depth--
		case token == ";", token == "--", token == "/*", token == "\x00", token == "#" && quote == "`":
			wrong = "has a " + token
		case token == "'", token == `"`, token == "`", token == "[":
			wrong = "opens a " + token + " that it does not close"
		case token == ":", token == "?", len(token) > 1 && token[0] == '$' && token[1] >= '0' && token[1] <= '9':
			wrong = "has a parameter, which nobody would bind"
		}
		if depth < 0 {
			break
		}
	}
	if depth != 0 {
		wrong = "does not close the parentheses that it opens, and no others"
	}
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		wrong = "is not valid UTF-8, or has a NUL character"
	}
	if wrong != "" {
		return refusal("%s %s: %s", what, wrong, text)
	}
	return nil
}

var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// idOf returns a key as it is sent, which tells it from others. The caller may give a number of any type, and bytes as their hexadecimal digits
// or as the text of a UUID.
func (c *Claims) idOf(key any) (id string, is bool) {
	switch text, isText := key.(string); {
	case c.keyKind == "number":
		id = fmt.Sprint(key)
		return id, wholeNumber.MatchString(id)
	case c.keyKind == "text" && c.isChar:
		// A session may read the blanks at the end of a CHAR, or not.
		id, is = strings.TrimRight(text, " "), isText
	case c.keyKind == "text":
		id, is = text, isText
	case c.keyKind == "binary":
		bytes, isBytes := key.([]byte)
		if isText {
			var err error
			bytes, err = hex.DecodeString(strings.ReplaceAll(text, "-", ""))
			isBytes = err == nil
		}
		id, is = c.store.database.beforeHex+hex.EncodeToString(bytes), isBytes
	}
	quoted, err := json.Marshal(id)
	return string(quoted), is && err == nil && utf8.ValidString(id)
}

func keysOf(rows []*claimedRow) string {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = `{"dibs_key1":` + row.id + `}`
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// change sends a statement about rows, and returns those that it tells of.
func (c *Claims) change(ctx context.Context, name, token string, rows []*claimedRow, delay time.Duration) (map[*claimedRow]bool, error) {
	done := map[*claimedRow]bool{}
	if len(rows) == 0 {
		return done, nil
	}
	all, err := c.store.run(ctx, c.statements[name], c.given(token, rows, delay))
	if err != nil {
		return done, err
	}
	return c.told(all, rows), nil
}

func (c *Claims) given(token string, rows []*claimedRow, delay time.Duration) values {
	return values{"token": token, "keys": keysOf(rows), "lease": c.length.Milliseconds(), "delay": delay.Milliseconds()}
}

func (c *Claims) told(all *answer, rows []*claimedRow) map[*claimedRow]bool {
	ids := map[string]bool{}
	for _, row := range all.rows {
		id, _ := c.idOf(row["dibs_key1"])
		ids[id] = true
	}
	told := map[*claimedRow]bool{}
	for _, row := range rows {
		if ids[row.id] {
			told[row] = true
		}
	}
	return told
}

// Claim claims up to n free rows, 1 to 10,000, in order. If nothing is free, the claim has no rows.
func (c *Claims) Claim(ctx context.Context, n int) (*Claim, error) {
	if n < 1 || n > largestClaim {
		return nil, refusal("a claim of %d rows is out of bounds; it must be between 1 and %d", n, largestClaim)
	}
	clock := c.store.clock
	begin := clock.now()
	var p pause
	for {
		claim, err := c.send(ctx, n)
		if err == nil {
			return claim, nil
		}
		if outcomeOf(err) != again || clock.now()-begin >= longestChange {
			return nil, err
		}
		if err := sleep(ctx, p.next()); err != nil {
			return nil, fmt.Errorf("dibs: claiming rows of %s: %w", c.table, err)
		}
	}
}

// send sends one claim, with a token that is never sent again.
func (c *Claims) send(ctx context.Context, n int) (*Claim, error) {
	s := c.store
	token, err := random(16)
	if err != nil {
		return nil, err
	}
	sent := s.clock.now()
	end := endOf(sent, c.length)
	all, err := c.store.run(ctx, c.statements["claim_rows"], values{"token": token, "n": int64(n), "lease": c.length.Milliseconds()})
	if err != nil && outcomeOf(err) == unknown {
		found := s.lookUp(ctx, func() (*answer, error) { return c.store.run(ctx, c.statements["find_rows"], values{"token": token}) })
		if found == nil || s.clock.now() >= end {
			c.releaseLater(token, true)
			return nil, retried(ctx, err)
		}
		all, err = found, nil
	}
	if err != nil {
		return nil, err
	}
	if s.clock.now() >= end {
		c.releaseLater(token, false)
		return nil, failedAs(again, errors.New("the rows came after the end of their claim"), "")
	}
	claim := &Claim{claims: c, token: token, byID: map[string]*claimedRow{}, lost: make(chan struct{})}
	claim.store, claim.renewAt = s, sent+c.length/3
	for _, row := range all.rows {
		if row[c.key] == nil {
			continue
		}
		id, is := c.idOf(row[c.key])
		if !is {
			c.releaseLater(token, false)
			return nil, refusal("a key in the column %s of %s is no value of the column's type", c.key, c.table)
		}
		one := &claimedRow{key: row[c.key], id: id, end: end}
		claim.Rows = append(claim.Rows, row)
		claim.byID[id] = one
		claim.inOrder = append(claim.inOrder, one)
	}
	// A row of NULLs stands for a row that the database left free.
	if len(all.rows) > 0 && len(claim.Rows) == 0 {
		return nil, refusal("the database left a free row of %s as it was, without an error: a trigger or a policy refuses the claim", c.table)
	}
	if len(claim.Rows) > 0 {
		if err := s.keep(claim, claim.renewAt, end); err != nil {
			return nil, err
		}
	}
	return claim, nil
}

// releaseLater is that of locks: a ghost is a token whose claim was never answered.
func (c *Claims) releaseLater(token string, ghost bool) {
	c.store.tryLater(abandoned, func(ctx context.Context) bool {
		all, err := c.store.run(ctx, c.statements["release_token"], values{"token": token})
		if err != nil || len(all.rows) == 0 && ghost {
			return false
		}
		// A row that was locked is still there.
		found, err := c.store.run(ctx, c.statements["find_rows"], values{"token": token})
		return err == nil && len(found.rows) == 0
	})
}

// Claim has rows that are claimed. A goroutine renews it until its rows are completed, released or lost.
type Claim struct {
	// The rows as they were claimed, in order.
	Rows []Row

	claims  *Claims
	token   string
	byID    map[string]*claimedRow
	inOrder []*claimedRow
	lost    chan struct{}

	renewing
	isLost bool
	closed bool
	reason string
}

// A row of a claim; guarded by the claim's mutex.
type claimedRow struct {
	key   any
	id    string
	end   time.Duration
	state leaseState
	// How many changes of it are on their way: their answers tell what came of it, and until then it is not lost.
	going int
	// When it was completed in a transaction of the caller's; 0 if it was not.
	joined time.Duration
}

// Held returns the keys of the rows that are certainly still ours, and that no transaction has completed. It sends no statement.
func (c *Claim) Held() []any {
	rows := c.held()
	c.mu.Lock()
	defer c.mu.Unlock()
	var keys []any
	for _, row := range rows {
		if row.joined == 0 {
			keys = append(keys, row.key)
		}
	}
	return keys
}

func (c *Claim) held() []*claimedRow {
	c.expire()
	c.mu.Lock()
	defer c.mu.Unlock()
	var rows []*claimedRow
	for _, row := range c.inOrder {
		if row.state == held && !c.closed && c.claims.store.clock.now() < row.end {
			rows = append(rows, row)
		}
	}
	return rows
}

// Lost returns a channel that is closed when the first row is lost.
func (c *Claim) Lost() <-chan struct{} { return c.lost }

// Check returns nil while no row is lost, and a *LostRows afterwards. It sends no statement.
func (c *Claim) Check() error {
	c.expire()
	c.mu.Lock()
	defer c.mu.Unlock()
	var lost []any
	for _, row := range c.inOrder {
		if row.state == over {
			lost = append(lost, row.key)
		}
	}
	if lost != nil {
		return &LostRows{lost, c.claims.table, c.reason}
	}
	return nil
}

// Complete completes these rows. A *LostRows, which is an ErrLost, names those that were not ours any more and are as they were; the others are
// completed. ErrUnknownOutcome: the answer was lost, and nobody can tell what came of it; look in the table.
func (c *Claim) Complete(ctx context.Context, keys ...any) error {
	return c.end(ctx, c.claims.completes, 0, keys)
}

// Release gives these rows back. A row that is locked just now counts as lost; Close gives it back.
func (c *Claim) Release(ctx context.Context, keys ...any) error {
	return c.end(ctx, "release_rows", 0, keys)
}

// Postpone gives these rows back, to be claimed when the delay is over.
func (c *Claim) Postpone(ctx context.Context, delay time.Duration, keys ...any) error {
	if err := checkLength("the delay", delay, 0, 3650*24*time.Hour); err != nil {
		return err
	}
	return c.end(ctx, "postpone_rows", delay, keys)
}

// CompleteIn completes these rows in a transaction of the caller's: they are completed if and only if that commits. After an error roll back. It
// uses no connection but that of the transaction.
func (c *Claim) CompleteIn(ctx context.Context, tx *sql.Tx, keys ...any) error {
	rows, err := c.chosen(keys)
	if err != nil || len(rows) == 0 {
		return err
	}
	d := c.claims.store.database
	if err := d.requireOpen(ctx, tx, "CompleteIn", c.claims.table); err != nil {
		return err
	}
	all, err := d.send(ctx, tx, c.claims.statements[c.claims.completes].steps, c.claims.given(c.token, rows, 0))
	if err != nil {
		return err
	}
	done := c.claims.told(all, rows)
	// Before the caller can commit: from then on a renewal misses them.
	now := c.claims.store.clock.now()
	c.mu.Lock()
	for row := range done {
		row.joined = now
	}
	c.mu.Unlock()
	return c.lostOf(rows, done, "they are not ours any more; roll back")
}

// Close releases the rows that are left, and renews nothing any more. What cannot be released now is released in the background, or ends by time.
func (c *Claim) Close(ctx context.Context) error {
	left := c.held()
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.claims.store.forget(c)
	ctx, cancel := last(ctx)
	defer cancel()
	done, err := c.claims.change(ctx, "release_rows", c.token, left, 0)
	if len(done) < len(left) {
		c.claims.releaseLater(c.token, false)
	}
	return err
}

func (c *Claim) giveUp(ctx context.Context) error { return c.Close(ctx) }

func (c *Claim) chosen(keys []any) ([]*claimedRow, error) {
	var rows []*claimedRow
	seen := map[*claimedRow]bool{}
	for _, key := range keys {
		id, is := c.claims.idOf(key)
		row := c.byID[id]
		if !is || row == nil {
			return nil, refusal("%s is not the key of a row of this claim", shown([]any{key}))
		}
		if !seen[row] {
			rows = append(rows, row)
		}
		seen[row] = true
	}
	return rows, nil
}

// end sends a change after which rows are not ours any more, and tells which of them were not.
func (c *Claim) end(ctx context.Context, name string, delay time.Duration, keys []any) error {
	rows, err := c.chosen(keys)
	if err != nil || len(rows) == 0 {
		return err
	}
	// Until their state is set: a renewal that misses them meanwhile has lost nothing.
	c.mark(rows, 1)
	defer c.mark(rows, -1)
	completes := name == c.claims.completes
	done, err := c.sendUntilAnswered(ctx, name, rows, delay)
	// A row that is locked is passed over, as by a renewal of ours.
	for i := 0; i < tries && err == nil && !completes && len(done) < len(rows); i++ {
		if err = sleep(ctx, 2*time.Millisecond<<(2*i)); err == nil {
			var more map[*claimedRow]bool
			more, err = c.sendUntilAnswered(ctx, name, without(rows, done), delay)
			for row := range more {
				done[row] = true
			}
		}
	}
	c.mu.Lock()
	for _, row := range rows {
		// Without an answer they may be completed: they are not renewed any more.
		if done[row] || completes && (err == nil || errors.Is(err, ErrUnknownOutcome)) {
			row.state = released
		}
	}
	c.mu.Unlock()
	c.forgetIfDone()
	if err != nil {
		return err
	}
	return c.lostOf(rows, done, "they were not ours any more, or another transaction has them")
}

func without(rows []*claimedRow, done map[*claimedRow]bool) []*claimedRow {
	var rest []*claimedRow
	for _, row := range rows {
		if !done[row] {
			rest = append(rest, row)
		}
	}
	return rest
}

func keysIn(rows []*claimedRow) []any {
	var keys []any
	for _, row := range rows {
		keys = append(keys, row.key)
	}
	return keys
}

func (c *Claim) lostOf(rows []*claimedRow, done map[*claimedRow]bool, reason string) error {
	if lost := without(rows, done); lost != nil {
		return &LostRows{keysIn(lost), c.claims.table, reason}
	}
	return nil
}

// sendUntilAnswered sends a change again after a lost answer. What is not ours any more then was changed by the statement that was not answered,
// if our claim has not expired: nobody else can have taken it. Else nobody knows.
func (c *Claim) sendUntilAnswered(ctx context.Context, name string, rows []*claimedRow, delay time.Duration) (map[*claimedRow]bool, error) {
	clock := c.claims.store.clock
	begin := clock.now()
	// Whether a row was ours when a statement about it was sent that was not answered; no entry if there is no such statement.
	unanswered := map[*claimedRow]bool{}
	var p pause
	for {
		wasHeld := map[*claimedRow]bool{}
		for _, row := range c.held() {
			wasHeld[row] = true
		}
		done, err := c.claims.change(ctx, name, c.token, rows, delay)
		is := outcomeOf(err)
		if err != nil && is == unknown {
			for _, row := range rows {
				before, is := unanswered[row]
				unanswered[row] = wasHeld[row] && (before || !is)
			}
		}
		mayRepeat := err != nil && is != refused && is != duplicate && clock.now()-begin < longestChange
		if mayRepeat && sleep(ctx, p.next()) == nil {
			continue
		}
		stillHeld := map[*claimedRow]bool{}
		for _, row := range c.held() {
			stillHeld[row] = true
		}
		var unclear []*claimedRow
		for _, row := range rows {
			switch wasOurs, is := unanswered[row]; {
			case done[row] || !is:
			case wasOurs && stillHeld[row] && err == nil:
				done[row] = true
			default:
				unclear = append(unclear, row)
			}
		}
		if unclear != nil && (name == c.claims.completes || err != nil) {
			return done, as(ErrUnknownOutcome, err, "whether the rows %s of %s were changed is not known: the answer was lost; look in the table",
				shown(keysIn(unclear)), c.claims.table)
		}
		return done, err
	}
}

// mark counts changes that are on their way.
func (c *Claim) mark(rows []*claimedRow, by int) {
	c.mu.Lock()
	for _, row := range rows {
		row.going += by
	}
	c.mu.Unlock()
	c.claims.store.deadlines.at(c.claims.store.clock.now())
}

func (c *Claim) forgetIfDone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, row := range c.inOrder {
		if row.state == held {
			return
		}
	}
	c.claims.store.forget(c)
}

func (c *Claim) expire() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.claims.store.clock.now()
	var next time.Duration
	for _, row := range c.inOrder {
		switch {
		case row.state != held || c.closed || row.end <= now && row.going > 0:
		case row.end <= now:
			c.loseNow(row, "the claim expired without a renewal that got through in time")
		case next == 0 || row.end < next:
			next = row.end
		}
	}
	return next
}

// loseNow is for those who have the mutex. A row that was completed in a transaction is no loss.
func (c *Claim) loseNow(row *claimedRow, reason string) {
	if row.joined > 0 {
		row.state = released
		return
	}
	row.state, c.reason = over, reason
	if !c.isLost {
		c.isLost = true
		close(c.lost)
	}
}

// renew renews all rows that are left. What was not renewed is locked just now, if the row still says that it is ours.
func (c *Claim) renew() {
	s, length := c.claims.store, c.claims.length
	rows := c.held()
	sent := s.clock.now()
	ctx, cancel := context.WithTimeout(context.Background(), longer(shortestAnswer, length/2))
	defer cancel()
	renewed, err := c.claims.change(ctx, "renew_rows", c.token, rows, 0)
	if err == nil {
		c.extend(renewed, sent)
		rest := without(rows, renewed)
		var locked map[*claimedRow]bool
		if locked, err = c.claims.change(ctx, "still_rows", c.token, rest, 0); err == nil {
			c.missed(without(rest, locked))
			if len(locked) == 0 {
				return
			}
		}
	}
	c.renewAgainAt(s.clock.now() + retryPause(length))
}

// extend sets later ends. A loss is final: an answer that comes too late changes nothing.
func (c *Claim) extend(renewed map[*claimedRow]bool, sent time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, end := c.claims.store.clock.now(), endOf(sent, c.claims.length)
	for row := range renewed {
		if row.joined > 0 && row.joined < sent {
			// Its transaction was rolled back.
			row.joined = 0
		}
		if row.state == held && now < row.end && row.end < end {
			row.end = end
		}
	}
}

// missed ends rows that a renewal has not found. A row that is just being changed is no loss.
func (c *Claim) missed(rows []*claimedRow) {
	c.mu.Lock()
	for _, row := range rows {
		if row.state == held && row.going == 0 {
			c.loseNow(row, "the database says that they are not ours any more; the claim has expired, or was released by force")
		}
	}
	c.mu.Unlock()
	c.forgetIfDone()
}

func shown(keys []any) string {
	if len(keys) > 10 {
		return shown(keys[:10]) + ", .."
	}
	texts := make([]string, len(keys))
	for i, key := range keys {
		if texts[i] = fmt.Sprint(key); reflect.TypeOf(key) == reflect.TypeOf([]byte{}) {
			texts[i] = fmt.Sprintf("%x", key)
		}
	}
	return strings.Join(texts, ", ")
}

// --- tokens -------------------------------------------------------------------------------------------------------------------------------

// Tokens are one-time tokens for a purpose: of all who show one, exactly one gets OK.
type Tokens struct {
	store   *Store
	purpose string
}

// Token is what came of a token that was shown.
type Token struct {
	// ok, used, expired, revoked or unknown.
	Status  string
	Subject string
	Payload string
}

// OK tells whether the token is the caller's to use, or, after Peek, can still be used.
func (t Token) OK() bool { return t.Status == "ok" }

// Tokens returns the tokens for a purpose of 1 to 100 characters: a token of one is unknown to another.
func (s *Store) Tokens(purpose string) *Tokens { return &Tokens{s, purpose} }

func (t *Tokens) check() error {
	if strings.TrimSpace(t.purpose) != t.purpose {
		return refusal("the purpose %q has a blank at an end", t.purpose)
	}
	return checkText("the purpose", t.purpose, 100)
}

// Issue returns a new token for a subject, 43 characters. The database has its digest alone. It can be used for this length, up to ten years. The
// payload, up to 4000 characters, may be empty.
func (t *Tokens) Issue(ctx context.Context, subject string, length time.Duration, payload string) (string, error) {
	if err := t.check(); err != nil {
		return "", err
	}
	if err := checkText("the subject", subject, 200); err != nil {
		return "", err
	}
	if err := checkLength("the token's length", length, time.Millisecond, 3650*24*time.Hour); err != nil {
		return "", err
	}
	given := values{"purpose": t.purpose, "subject": subject, "payload": nil, "ttl": length.Milliseconds()}
	if payload != "" {
		if err := checkText("the payload", payload, 4000); err != nil {
			return "", err
		}
		given["payload"] = payload
	}
	id, err := random(16)
	if err != nil {
		return "", err
	}
	bits := make([]byte, 32)
	if _, err := rand.Read(bits); err != nil {
		return "", err
	}
	token := base64.RawURLEncoding.EncodeToString(bits)
	given["id"], given["digest"] = id, digest(token)
	_, err = t.repeated(ctx, "issue_token", given)
	return token, err
}

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// Consume uses a token up. A text that is no token is unknown. ErrUnknownOutcome: the answer was lost, and the token may be used up.
func (t *Tokens) Consume(ctx context.Context, token string) (Token, error) {
	if err := t.check(); err != nil || !tokenForm.MatchString(token) {
		return Token{Status: "unknown"}, err
	}
	owner, err := random(16)
	if err != nil {
		return Token{}, err
	}
	// The same owner each time: after a lost answer the token may be ours already.
	all, err := t.repeated(ctx, "consume_token",
		values{"purpose": t.purpose, "digest": digest(token), "owner": owner, "attempt": owner})
	if err != nil {
		return Token{}, err
	}
	return tokenOf(all.first(), func(row Row) bool { return row.text("owner") == owner }), nil
}

// Peek reads a token, and does not use it up.
func (t *Tokens) Peek(ctx context.Context, token string) (Token, error) {
	if err := t.check(); err != nil || !tokenForm.MatchString(token) {
		return Token{Status: "unknown"}, err
	}
	all, err := t.store.runNamed(ctx, "peek_token", values{"purpose": t.purpose, "digest": digest(token)})
	if err != nil {
		return Token{}, err
	}
	return tokenOf(all.first(), func(row Row) bool { return row["ended"] == nil && row.number("ends_at") > row.number("read_at") }), nil
}

func tokenOf(row Row, isOK func(Row) bool) Token {
	switch {
	case row == nil:
		return Token{Status: "unknown"}
	case isOK(row):
		return Token{"ok", row.text("subject"), row.text("payload")}
	case row["ended"] != nil:
		return Token{row.text("ended"), row.text("subject"), ""}
	}
	return Token{"expired", row.text("subject"), ""}
}

// repeated sends a statement until it is answered: sent twice, it does the same as once.
func (t *Tokens) repeated(ctx context.Context, name string, given values) (*answer, error) {
	wasSent := false
	for i := 1; ; i++ {
		all, err := t.store.runNamed(ctx, name, given)
		if err == nil {
			return all, nil
		}
		is := outcomeOf(err)
		wasSent = wasSent || is == unknown
		if is == refused || is == notSent || i == lookUps || sleep(ctx, 10*time.Millisecond<<i) != nil {
			if wasSent {
				return nil, as(ErrUnknownOutcome, err, "what came of the token is not known; the answer was lost: %v", err)
			}
			return nil, err
		}
	}
}

func digest(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// random returns so many random bytes as hexadecimal digits.
func random(bytes int) (string, error) {
	b := make([]byte, bytes)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("dibs: no random bits: %w", err)
	}
	return hex.EncodeToString(b), nil
}

func checkText(what, text string, most int) error {
	wrong := ""
	switch units := len(utf16.Encode([]rune(text))); {
	case text == "":
		wrong = fmt.Sprintf("is empty; it must be a text of 1 to %d characters", most)
	case !utf8.ValidString(text):
		wrong = "is not valid UTF-8"
	case strings.Contains(text, "\x00"):
		wrong = "has a NUL character"
	case units > most:
		wrong = fmt.Sprintf("has %d characters (UTF-16 units); %d are the most", units, most)
	default:
		return nil
	}
	return refusal("%s %s", what, wrong)
}

func checkLength(what string, length, least, most time.Duration) error {
	if length < least || length > most {
		return refusal("%s is %v; it must be %v to %v", what, length, least, most)
	}
	return nil
}
