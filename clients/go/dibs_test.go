package dibs

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/lib/pq"
	"github.com/mattn/go-sqlite3"
)

// faults stands between the pool and SQLite. It sees every statement before and after it is sent, and may make its answer an error.
type faults struct {
	mu     sync.Mutex
	before func(query string, args []driver.NamedValue) error
	after  func(query string, args []driver.NamedValue) error
}

func (f *faults) set(before, after func(query string, args []driver.NamedValue) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before, f.after = before, after
}

func (f *faults) ask(isAfter bool, query string, args []driver.NamedValue) error {
	f.mu.Lock()
	hook := f.before
	if isAfter {
		hook = f.after
	}
	f.mu.Unlock()
	if hook == nil {
		return nil
	}
	return hook(query, args)
}

type faultyDriver struct {
	faults *faults
	file   string
}

func (d *faultyDriver) Connect(context.Context) (driver.Conn, error) {
	conn, err := (&sqlite3.SQLiteDriver{}).Open("file:" + d.file + "?_busy_timeout=60000")
	if err != nil {
		return nil, err
	}
	return &faultyConn{conn.(*sqlite3.SQLiteConn), d.faults}, nil
}

func (d *faultyDriver) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

type faultyConn struct {
	*sqlite3.SQLiteConn
	faults *faults
}

func (c *faultyConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.faults.ask(false, query, args); err != nil {
		return nil, err
	}
	result, err := c.SQLiteConn.ExecContext(ctx, query, args)
	if failed := c.faults.ask(true, query, args); err == nil && failed != nil {
		return nil, failed
	}
	return result, err
}

func (c *faultyConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.faults.ask(false, query, args); err != nil {
		return nil, err
	}
	rows, err := c.SQLiteConn.QueryContext(ctx, query, args)
	if err != nil {
		return nil, err
	}
	// A statement has had its effect when its rows were read. An INSERT has at most one here.
	if failed := c.faults.ask(true, query, args); failed != nil {
		_ = rows.Next(make([]driver.Value, len(rows.Columns())))
		_ = rows.Close()
		return nil, failed
	}
	return rows, nil
}

func (c *faultyConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	tx, err := c.SQLiteConn.BeginTx(ctx, options)
	return &faultyTx{tx, c.faults}, err
}

type faultyTx struct {
	driver.Tx
	faults *faults
}

func (t *faultyTx) Commit() error {
	if err := t.Tx.Commit(); err != nil {
		return err
	}
	return t.faults.ask(true, "COMMIT", nil)
}

// No test is so slow that it ends. Time passes for the client by pass.
const lease = 10 * time.Minute

func opened(t *testing.T) (*sql.DB, *Store, *faults) {
	t.Helper()
	f := &faults{}
	db := sql.OpenDB(&faultyDriver{f, filepath.Join(t.TempDir(), "test.db")})
	store, err := Open(context.Background(), db, Options{Lease: lease})
	if err != nil {
		t.Fatal(err)
	}
	must(t, store.CreateSchema(context.Background()))
	t.Cleanup(func() {
		f.set(nil, nil)
		_ = store.Close(context.Background())
		_ = db.Close()
		// A release in the background would make the file again while its folder is deleted.
		eventually(t, "the end of the connections", func() bool { return db.Stats().OpenConnections == 0 })
	})
	return db, store, f
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustBe(t *testing.T, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("%v; it should be: %v", err, kind)
	}
}

func acquired(t *testing.T, store *Store, name string) *Lease {
	t.Helper()
	lease, err := store.Lock(name).Acquire(context.Background(), time.Minute)
	must(t, err)
	return lease
}

func run(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	_, err := db.Exec(query, args...)
	must(t, err)
}

func ownerOf(t *testing.T, db *sql.DB, name string) string {
	t.Helper()
	var owner sql.NullString
	err := db.QueryRow("SELECT owner FROM dibs_lock WHERE name = ?", name).Scan(&owner)
	if err != sql.ErrNoRows {
		must(t, err)
	}
	return owner.String
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come: " + what)
		}
	}
}

// pass lets time pass for the client, and not for the database.
func pass(store *Store, length time.Duration) {
	c := store.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.read
	c.read = func() (monotonic, wall time.Duration) {
		monotonic, wall = before()
		return monotonic + length, wall + length
	}
}

// mustRenew passes the first end of a lease or a claim, whose row this query finds.
func mustRenew(t *testing.T, db *sql.DB, store *Store, one kept, query string) {
	t.Helper()
	until := func() (until int64) {
		must(t, db.QueryRow(query).Scan(&until))
		return until
	}
	for i := 0; i < 3; i++ {
		end, before := one.expire(), until()
		// By the database's clock a renewal is later by a millisecond at least.
		time.Sleep(5 * time.Millisecond)
		pass(store, lease*2/5)
		eventually(t, "a renewal", func() bool { return one.expire() > end && until() > before })
	}
}

func mustBeTold(t *testing.T, lost <-chan struct{}) {
	t.Helper()
	select {
	case <-lost:
	case <-time.After(30 * time.Second):
		t.Fatal("the loss is not told")
	}
}

func isAcquire(query string) bool { return strings.Contains(query, "INSERT INTO dibs_lock") }

func TestClockCountsTheTimeAsleepAndNeverGoesBack(t *testing.T) {
	var monotonic, wall time.Duration
	wall = 1000 * time.Hour
	c := newClock(func() (time.Duration, time.Duration) { return monotonic, wall })
	pass := func(byMonotonic, byWall, expected time.Duration) {
		t.Helper()
		before := c.now()
		monotonic, wall = monotonic+byMonotonic, wall+byWall
		if passed := c.now() - before; passed != expected {
			t.Fatalf("%v have passed, and not %v", passed, expected)
		}
	}
	pass(time.Second, time.Second, time.Second)
	// The machine was suspended for a minute.
	pass(time.Second, time.Minute, time.Minute)
	// Somebody set the wall clock back, and then forward again.
	pass(time.Second, -time.Hour, time.Second)
	pass(time.Second, time.Hour, time.Hour)
}

func TestNoTokenIsSentInASecondAcquire(t *testing.T) {
	_, store, f := opened(t)
	sent := map[any]int{}
	f.set(func(query string, args []driver.NamedValue) error {
		if !isAcquire(query) {
			return nil
		}
		sent[args[1].Value]++
		if len(sent) == 1 {
			// Drivers say so also after they have sent a statement. The pool then sends it again, unless it goes over a sql.Conn.
			return driver.ErrBadConn
		}
		return nil
	}, nil)
	acquired(t, store, "twice")
	if len(sent) != 2 {
		t.Fatalf("%d acquires were sent", len(sent))
	}
	for token, times := range sent {
		if times > 1 {
			t.Fatalf("the token %v was sent %d times", token, times)
		}
	}
}

func TestAnAcquireWithoutAnAnswerIsLookedUp(t *testing.T) {
	db, store, f := opened(t)
	f.set(nil, func(query string, _ []driver.NamedValue) error {
		if isAcquire(query) {
			f.set(nil, nil)
			return errors.New("the connection was reset")
		}
		return nil
	})
	lease := acquired(t, store, "unanswered")
	if ownerOf(t, db, "unanswered") != lease.pair.Owner {
		t.Fatal("another token has the lock")
	}
}

func TestAContextThatEndsBeforeTheAnswerLeavesNoLock(t *testing.T) {
	db, store, f := opened(t)
	ctx, cancel := context.WithCancel(context.Background())
	f.set(nil, func(query string, _ []driver.NamedValue) error {
		if isAcquire(query) {
			f.set(nil, nil)
			cancel()
			return ctx.Err()
		}
		return nil
	})
	_, err := store.Lock("ended").Acquire(ctx, time.Minute)
	mustBe(t, err, context.Canceled)
	eventually(t, "the release", func() bool { return ownerOf(t, db, "ended") == "" })
}

func TestAnAcquireThatLandsAfterTheLookIsReleased(t *testing.T) {
	db, store, f := opened(t)
	ctx, cancel := context.WithCancel(context.Background())
	var token atomic.Value
	var looked atomic.Bool
	f.set(func(query string, args []driver.NamedValue) error {
		if isAcquire(query) {
			token.Store(args[1].Value)
			cancel()
			return ctx.Err()
		}
		return nil
	}, func(_ string, args []driver.NamedValue) error {
		for _, arg := range args {
			if arg.Value == token.Load() {
				looked.Store(true)
			}
		}
		return nil
	})
	_, err := store.Lock("late").Acquire(ctx, 0)
	mustBe(t, err, context.Canceled)
	eventually(t, "the first release, which finds nothing", looked.Load)
	f.set(nil, nil)
	run(t, db, "INSERT INTO dibs_lock (name, owner, fence, acquired_at, held_until) VALUES ('late', ?, 1, 0, 99999999999999)", token.Load())
	eventually(t, "the release", func() bool { return ownerOf(t, db, "late") == "" })
}

func TestBusyIsBusyAndNoError(t *testing.T) {
	_, store, f := opened(t)
	held := acquired(t, store, "busy")
	_, err := store.Lock("busy").TryAcquire(context.Background())
	mustBe(t, err, ErrBusy)
	err = store.Lock("busy").InTransaction(context.Background(), 10*time.Millisecond, func(*sql.Tx) error { panic("not called") })
	mustBe(t, err, ErrBusy)
	must(t, held.Release(context.Background()))
	f.set(func(string, []driver.NamedValue) error { return errors.New("the network is down") }, nil)
	_, err = store.Lock("busy").TryAcquire(context.Background())
	if err == nil || errors.Is(err, ErrBusy) {
		t.Fatalf("an error of the database is told as %v", err)
	}
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	_, store, _ := opened(t)
	acquired(t, store, "waited-for")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := store.Lock("waited-for").Acquire(ctx, time.Hour)
	mustBe(t, err, context.DeadlineExceeded)
}

func TestALeaseIsRenewedUntilItIsReleased(t *testing.T) {
	db, store, _ := opened(t)
	held := acquired(t, store, "renewed")
	mustRenew(t, db, store, held, "SELECT held_until FROM dibs_lock WHERE name = 'renewed'")
	must(t, held.Check())
	must(t, held.Release(context.Background()))
	must(t, held.Release(context.Background()))
	if ownerOf(t, db, "renewed") != "" {
		t.Fatal("it is not released")
	}
	select {
	case <-held.Lost():
		t.Fatal("a lease that was released is told as lost")
	default:
	}
}

func TestALeaseIsReleasedAfterTheEndOfTheContext(t *testing.T) {
	db, store, _ := opened(t)
	ctx, cancel := context.WithCancel(context.Background())
	held, err := store.Lock("at-the-end").Acquire(ctx, 0)
	must(t, err)
	cancel()
	must(t, held.Release(ctx))
	if ownerOf(t, db, "at-the-end") != "" {
		t.Fatal("it is not released")
	}
}

func TestATakeoverIsALoss(t *testing.T) {
	db, store, _ := opened(t)
	held := acquired(t, store, "taken-over")
	run(t, db, "UPDATE dibs_lock SET owner = 'another' WHERE name = 'taken-over'")
	pass(store, lease/2)
	mustBeTold(t, held.Lost())
	mustBe(t, held.Check(), ErrLost)
	mustBe(t, held.Release(context.Background()), ErrLost)
	mustBe(t, held.InTransaction(context.Background(), func(*sql.Tx) error { panic("not called") }), ErrLost)
	if ownerOf(t, db, "taken-over") != "another" {
		t.Fatal("the lock was taken from its holder")
	}
}

func TestAReleaseTellsOfATakeover(t *testing.T) {
	db, store, _ := opened(t)
	held := acquired(t, store, "taken-before")
	run(t, db, "UPDATE dibs_lock SET owner = 'another' WHERE name = 'taken-before'")
	mustBe(t, held.Release(context.Background()), ErrLost)
}

func TestALeaseIsLostAtItsEndWhateverTheDatabaseDoes(t *testing.T) {
	db, store, f := opened(t)
	held := acquired(t, store, "silent")
	silence := make(chan struct{})
	f.set(func(string, []driver.NamedValue) error {
		<-silence
		return errors.New("no answer")
	}, nil)
	pass(store, lease/2)
	must(t, held.Check())
	pass(store, lease/2)
	mustBeTold(t, held.Lost())
	f.set(nil, nil)
	close(silence)
	eventually(t, "the release", func() bool { return ownerOf(t, db, "silent") == "" })
}

func TestAGuardHoldsUpToTheCommit(t *testing.T) {
	db, store, _ := opened(t)
	run(t, db, "CREATE TABLE n (n int)")
	held := acquired(t, store, "guarded")
	must(t, held.InTransaction(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO n VALUES (1)")
		return err
	}))
	wrong := errors.New("undone")
	mustBe(t, held.InTransaction(context.Background(), func(tx *sql.Tx) error {
		if _, err := tx.Exec("INSERT INTO n VALUES (2)"); err != nil {
			return err
		}
		return wrong
	}), wrong)
	var count int
	must(t, db.QueryRow("SELECT count(*) FROM n").Scan(&count))
	if count != 1 {
		t.Fatalf("%d transactions were committed", count)
	}
}

func TestATransactionThatHasEndedIsRefused(t *testing.T) {
	db, store, _ := opened(t)
	run(t, db, "CREATE TABLE mail (id INTEGER PRIMARY KEY, claimed_by varchar(32), claimed_until bigint)")
	run(t, db, "INSERT INTO mail (id) VALUES (1)")
	held := acquired(t, store, "ended")
	claims, err := store.Claims(context.Background(), ClaimOptions{Table: "mail"})
	must(t, err)
	claim, err := claims.Claim(context.Background(), 1)
	must(t, err)
	for what, join := range map[string]func(*sql.Tx) error{
		"guard":    func(tx *sql.Tx) error { return held.Guard(context.Background(), tx) },
		"complete": func(tx *sql.Tx) error { return claim.CompleteIn(context.Background(), tx, 1) },
	} {
		tx, err := db.Begin()
		must(t, err)
		_, err = tx.Exec("ROLLBACK")
		must(t, err)
		if join(tx) == nil {
			t.Fatal(what + " passed where no transaction was open")
		}
		_ = tx.Rollback()
		tx, err = db.Begin()
		must(t, err)
		must(t, join(tx))
		must(t, tx.Commit())
		if join(tx) == nil {
			t.Fatal(what + " passed after the commit")
		}
	}
}

// After COMMIT and BEGIN another transaction is open, which has no lock.
func TestAWorkThatBeginsAnotherTransactionIsNoCommit(t *testing.T) {
	db, store, _ := opened(t)
	beginsAnother(t, db, store)
}

// inTransactions are the two calls that commit for the caller.
func inTransactions(store *Store, held *Lease) map[string]func(func(*sql.Tx) error) error {
	ctx := context.Background()
	return map[string]func(func(*sql.Tx) error) error{
		"lock": func(work func(*sql.Tx) error) error {
			return store.Lock("in transactions").InTransaction(ctx, time.Minute, work)
		},
		"lease": func(work func(*sql.Tx) error) error { return held.InTransaction(ctx, work) },
	}
}

func beginsAnother(t *testing.T, db *sql.DB, store *Store) {
	t.Helper()
	ctx := context.Background()
	run(t, db, "CREATE TABLE go_another (n int)")
	defer run(t, db, "DROP TABLE go_another")
	held := acquired(t, store, "another lease")
	for what, call := range inTransactions(store, held) {
		for _, statements := range []string{"COMMIT", "ROLLBACK", "COMMIT BEGIN", "ROLLBACK BEGIN"} {
			err := call(func(tx *sql.Tx) error {
				for _, statement := range strings.Fields(statements) {
					if _, err := tx.Exec(statement); err != nil {
						return err
					}
				}
				if strings.HasSuffix(statements, "BEGIN") {
					_, err := tx.Exec("INSERT INTO go_another VALUES (1)")
					return err
				}
				return nil
			})
			if err == nil || !strings.Contains(err.Error(), "this one has ended") {
				t.Fatalf("%s, %s: %v", what, statements, err)
			}
			var late int
			must(t, db.QueryRow("SELECT count(*) FROM go_another").Scan(&late))
			if late != 0 {
				t.Fatal(what + ", " + statements + ": it was committed without the lock")
			}
		}
		must(t, call(func(tx *sql.Tx) error {
			_, err := tx.Exec("SAVEPOINT mine")
			return err
		}))
	}
	must(t, held.Release(ctx))
}

// onServer is a pool over one connection, and a Store, on a server whose data source is in a variable of the environment.
func onServer(t *testing.T, driver, variable, more string) (*sql.DB, *Store) {
	t.Helper()
	server := os.Getenv(variable)
	if server == "" {
		t.Skip(variable + " names no data source")
	}
	db, err := sql.Open(driver, server+more)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	store, err := Open(context.Background(), db, Options{Lease: lease})
	must(t, err)
	must(t, store.CreateSchema(context.Background()))
	return db, store
}

func TestOnServerAWorkThatBeginsAnotherTransactionIsNoCommit(t *testing.T) {
	db, store := onServer(t, "postgres", "DIBS_TEST_POSTGRES", "")
	beginsAnother(t, db, store)
}

func TestOnServerAWorkMayHaveAnotherPathAndRole(t *testing.T) {
	db, store := onServer(t, "postgres", "DIBS_TEST_POSTGRES", "")
	run(t, db, "DROP ROLE IF EXISTS go_nobody")
	run(t, db, "CREATE ROLE go_nobody")
	defer run(t, db, "DROP ROLE go_nobody")
	for _, statement := range []string{"SET LOCAL search_path = information_schema", "SET LOCAL ROLE go_nobody"} {
		must(t, store.Lock("path").InTransaction(context.Background(), time.Minute, func(tx *sql.Tx) error {
			_, err := tx.Exec(statement)
			return err
		}))
	}
}

func TestOnServerAnotherEncodingIsRefused(t *testing.T) {
	db, _ := onServer(t, "postgres", "DIBS_TEST_POSTGRES", "")
	db.SetMaxOpenConns(1)
	// As the driver pgx begins where the database has this encoding.
	run(t, db, "SET client_encoding = LATIN1")
	if _, err := Open(context.Background(), db, Options{}); err == nil || !strings.Contains(err.Error(), "client_encoding is LATIN1") {
		t.Fatal(err)
	}
}

func TestOnServerNamesOfTablesBeforeThoseOfColumnsAreRefused(t *testing.T) {
	_, _ = onServer(t, "mysql", "DIBS_TEST_MYSQL", "")
	db, err := sql.Open("mysql", os.Getenv("DIBS_TEST_MYSQL")+"?columnsWithAlias=true")
	must(t, err)
	defer db.Close()
	if _, err = Open(context.Background(), db, Options{}); err == nil || !strings.Contains(err.Error(), "columnsWithAlias") {
		t.Fatal(err)
	}
}

func TestOnServerTextKeysInAnotherCharacterSetAreRefused(t *testing.T) {
	ctx := context.Background()
	db, _ := onServer(t, "mysql", "DIBS_TEST_MYSQL", "")
	run(t, db, "CREATE TABLE go_letters (id VARCHAR(20) CHARACTER SET utf8mb4 PRIMARY KEY, claimed_by TEXT, claimed_until BIGINT)")
	defer run(t, db, "DROP TABLE go_letters")
	run(t, db, "INSERT INTO go_letters (id) VALUES (_utf8mb4 x'C3A9')")
	for charset, right := range map[string]bool{"utf8mb4": true, "latin1": false, "utf8": false} {
		_, store := onServer(t, "mysql", "DIBS_TEST_MYSQL", "?charset="+charset)
		claims, err := store.Claims(ctx, ClaimOptions{Table: "go_letters"})
		if !right {
			if err == nil || !strings.Contains(err.Error(), "charset=utf8mb4") {
				t.Fatalf("%s: %v", charset, err)
			}
			continue
		}
		must(t, err)
		must(t, claimed(t, claims, 1, 1).Complete(ctx, "é"))
	}
}

// A deadlock ends the transaction of one of the two, and with it the lock. On MariaDB the next statement begins another transaction, which a commit
// would store; on MySQL it is one by itself.
func TestOnServerADeadlockIsNoCommit(t *testing.T) {
	ctx := context.Background()
	db, store := onServer(t, "mysql", "DIBS_TEST_MYSQL", "")
	run(t, db, "CREATE TABLE go_deadlock (id INT PRIMARY KEY, note VARCHAR(20)) ENGINE = InnoDB")
	defer run(t, db, "DROP TABLE go_deadlock")
	run(t, db, "INSERT INTO go_deadlock (id) VALUES (1), (2), (3), (4), (5)")
	held := acquired(t, store, "deadlock lease")
	for what, call := range inTransactions(store, held) {
		err := call(func(tx *sql.Tx) error {
			deadlock(t, db, tx)
			_, err := tx.Exec("UPDATE go_deadlock SET note = 'late' WHERE id = 5")
			return err
		})
		if err == nil {
			t.Fatal(what + ": it was committed without the lock")
		}
		var late int
		must(t, db.QueryRow("SELECT count(*) FROM go_deadlock WHERE note = 'late' AND version() LIKE '11.%MariaDB%'").Scan(&late))
		if late != 0 {
			t.Fatal(what + ": the statement after the deadlock is stored")
		}
	}
	must(t, held.Release(ctx))
}

// deadlock ends tx: the other one has changed more rows, and goes on.
func deadlock(t *testing.T, db *sql.DB, tx *sql.Tx) {
	t.Helper()
	other, err := db.Begin()
	must(t, err)
	defer other.Rollback()
	_, err = tx.Exec("UPDATE go_deadlock SET note = 'x' WHERE id = 1")
	must(t, err)
	_, err = other.Exec("UPDATE go_deadlock SET note = 'x' WHERE id > 1")
	must(t, err)
	ended := make(chan error)
	go func() {
		_, err := other.Exec("UPDATE go_deadlock SET note = 'x' WHERE id = 1")
		ended <- err
	}()
	_, err = tx.Exec("UPDATE go_deadlock SET note = 'x' WHERE id = 2")
	if codeOf(err) != "1213" {
		t.Fatalf("%v; it should be a deadlock", err)
	}
	must(t, <-ended)
}

func TestNoCallWithATransactionTakesAnotherConnection(t *testing.T) {
	db, store, _ := opened(t)
	db.SetMaxOpenConns(1)
	run(t, db, "CREATE TABLE mail (id INTEGER PRIMARY KEY, claimed_by varchar(32), claimed_until bigint)")
	run(t, db, "INSERT INTO mail (id) VALUES (1)")
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	done := false
	must(t, store.Lock("a-new-name").InTransaction(ctx, time.Minute, func(*sql.Tx) error {
		done = true
		return nil
	}))
	if !done {
		t.Fatal("it was not called")
	}
	claims, err := store.Claims(ctx, ClaimOptions{Table: "mail", CompleteDelete: true})
	must(t, err)
	claim, err := claims.Claim(ctx, 1)
	must(t, err)
	held := acquired(t, store, "alone")
	must(t, held.InTransaction(ctx, func(tx *sql.Tx) error { return claim.CompleteIn(ctx, tx, claim.Held()...) }))
	must(t, held.Release(ctx))
}

func TestACommitWithoutAnAnswerIsUnknown(t *testing.T) {
	_, store, f := opened(t)
	f.set(nil, func(query string, _ []driver.NamedValue) error {
		if query == "COMMIT" {
			return driver.ErrBadConn
		}
		return nil
	})
	called := 0
	err := store.Lock("unknown").InTransaction(context.Background(), time.Minute, func(*sql.Tx) error {
		called++
		return nil
	})
	mustBe(t, err, ErrUnknownOutcome)
	if called != 1 {
		t.Fatalf("the work was done %d times", called)
	}
}

func TestAPanicOfTheWorkRollsBack(t *testing.T) {
	db, store, _ := opened(t)
	run(t, db, "CREATE TABLE n (n int)")
	func() {
		defer func() {
			if recover() == nil {
				t.Fatal("the panic was hidden")
			}
		}()
		_ = store.Lock("panics").InTransaction(context.Background(), time.Minute, func(tx *sql.Tx) error {
			if _, err := tx.Exec("INSERT INTO n VALUES (1)"); err != nil {
				return err
			}
			panic("wrong")
		})
	}()
	var count int
	must(t, db.QueryRow("SELECT count(*) FROM n").Scan(&count))
	if count != 0 {
		t.Fatal("it was committed")
	}
	must(t, store.Lock("panics").InTransaction(context.Background(), time.Minute, func(*sql.Tx) error { return nil }))
}

func TestManyGoroutinesCountUnderOneLock(t *testing.T) {
	db, store, _ := opened(t)
	run(t, db, "CREATE TABLE n (n int)")
	run(t, db, "INSERT INTO n VALUES (0)")
	ctx := context.Background()
	add := func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRow("SELECT n FROM n").Scan(&n); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE n SET n = ?", n+1)
		return err
	}
	failed := make(chan error, 8)
	for i := 0; i < 8; i++ {
		go func(i int) {
			for k := 0; k < 5; k++ {
				if i%2 == 0 {
					if err := store.Lock("count").InTransaction(ctx, time.Minute, add); err != nil {
						failed <- fmt.Errorf("in a transaction: %w", err)
						return
					}
					continue
				}
				held, err := store.Lock("count").Acquire(ctx, time.Minute)
				if err == nil {
					err = held.InTransaction(ctx, add)
				}
				if err == nil {
					err = held.Release(ctx)
				}
				if err != nil {
					failed <- fmt.Errorf("under a lease: %w", err)
					return
				}
			}
			failed <- nil
		}(i)
	}
	for i := 0; i < 8; i++ {
		must(t, <-failed)
	}
	var n int
	must(t, db.QueryRow("SELECT n FROM n").Scan(&n))
	if n != 40 {
		t.Fatalf("%d, and not 40", n)
	}
}

func mails(t *testing.T, db *sql.DB, store *Store, keyType string, keys ...any) *Claims {
	t.Helper()
	run(t, db, "CREATE TABLE mail (id "+keyType+", claimed_by varchar(32), claimed_until bigint, done int NOT NULL DEFAULT 0)")
	for _, key := range keys {
		run(t, db, "INSERT INTO mail (id) VALUES (?)", key)
	}
	claims, err := store.Claims(context.Background(), ClaimOptions{Table: "mail", Where: "done = 0 AND 'why?' <> ''", CompleteSet: "done = done + 1"})
	must(t, err)
	return claims
}

func claimed(t *testing.T, claims *Claims, n, expected int) *Claim {
	t.Helper()
	claim, err := claims.Claim(context.Background(), n)
	must(t, err)
	if len(claim.Rows) != expected {
		t.Fatalf("%d rows were claimed, and not %d", len(claim.Rows), expected)
	}
	return claim
}

func doneOf(t *testing.T, db *sql.DB) (done int) {
	t.Helper()
	must(t, db.QueryRow("SELECT coalesce(sum(done), 0) FROM mail").Scan(&done))
	return done
}

func TestClaimedRowsAreOursUntilTheyAreGivenBack(t *testing.T) {
	ctx := context.Background()
	db, store, _ := opened(t)
	claims := mails(t, db, store, "INTEGER PRIMARY KEY", 1, 2, 3, 4)
	claim := claimed(t, claims, 10, 4)
	claimed(t, claims, 10, 0)
	must(t, claim.Complete(ctx, 1))
	must(t, claim.Release(ctx, int64(2)))
	must(t, claim.Postpone(ctx, time.Hour, 3))
	claimed(t, claims, 10, 1)
	mustRenew(t, db, store, claim, "SELECT claimed_until FROM mail WHERE id = 4")
	must(t, claim.Check())
	if held := fmt.Sprint(claim.Held()); held != "[4]" {
		t.Fatalf("these are held: %s", held)
	}
	must(t, claim.Close(ctx))
	claimed(t, claims, 10, 1)
	if err := claim.Complete(ctx, 5); err == nil || errors.Is(err, ErrLost) {
		t.Fatalf("a row of nobody's was completed: %v", err)
	}
}

func TestLostRowsAreNamedAndNotChanged(t *testing.T) {
	ctx := context.Background()
	db, store, _ := opened(t)
	claim := claimed(t, mails(t, db, store, "varchar(20)", "a", "b"), 10, 2)
	run(t, db, "UPDATE mail SET claimed_by = 'another' WHERE id = 'a'")
	err := claim.Complete(ctx, "a", "b")
	var lost *LostRows
	if !errors.As(err, &lost) || !errors.Is(err, ErrLost) || fmt.Sprint(lost.Keys) != "[a]" {
		t.Fatalf("it is told as %v", err)
	}
	if done := doneOf(t, db); done != 1 {
		t.Fatalf("%d rows were completed", done)
	}
}

func TestARenewalTellsOfLostRows(t *testing.T) {
	db, store, _ := opened(t)
	claim := claimed(t, mails(t, db, store, "int", 1, 2), 10, 2)
	run(t, db, "UPDATE mail SET claimed_by = NULL WHERE id = 2")
	pass(store, lease/2)
	mustBeTold(t, claim.Lost())
	mustBe(t, claim.Check(), ErrLost)
	if held := fmt.Sprint(claim.Held()); held != "[1]" {
		t.Fatalf("these are held: %s", held)
	}
}

func TestKeysThatDifferInABlankAreTwo(t *testing.T) {
	ctx := context.Background()
	db, store, _ := opened(t)
	claim := claimed(t, mails(t, db, store, "varchar(20)", "a", "a "), 10, 2)
	must(t, claim.Complete(ctx, "a "))
	var done string
	must(t, db.QueryRow("SELECT id FROM mail WHERE done = 1").Scan(&done))
	if done != "a " {
		t.Fatalf("the row %q was completed", done)
	}
	must(t, claim.Complete(ctx, "a"))
}

func TestATableOfALaterProtocolIsRefused(t *testing.T) {
	ctx := context.Background()
	db, store, _ := opened(t)
	run(t, db, "ALTER TABLE dibs_lock ADD COLUMN protocol_2 int")
	run(t, db, "ALTER TABLE dibs_lock ADD COLUMN PROTOCOL_11 int")
	run(t, db, "ALTER TABLE dibs_token ADD COLUMN protocol_3 int")
	_, ofLock := store.Lock("later").Acquire(ctx, time.Second)
	_, ofToken := store.Tokens("later").Issue(ctx, "mary", time.Hour, "")
	for what, err := range map[string]error{
		"dibs_lock is of protocol 11":  store.Lock("later").InTransaction(ctx, time.Second, func(*sql.Tx) error { panic("not called") }),
		"dibs_lock is of protocol 11,": ofLock,
		"dibs_token is of protocol 3":  ofToken,
	} {
		if err == nil || errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestACompletionWithoutAnAnswerIsDoneOnce(t *testing.T) {
	db, store, f := opened(t)
	claim := claimed(t, mails(t, db, store, "text", "\"a'"), 10, 1)
	f.set(nil, func(query string, _ []driver.NamedValue) error {
		if strings.Contains(query, "done = done + 1") {
			f.set(nil, nil)
			return driver.ErrBadConn
		}
		return nil
	})
	must(t, claim.Complete(context.Background(), claim.Held()...))
	if done := doneOf(t, db); done != 1 {
		t.Fatalf("it was done %d times", done)
	}
}

func TestACompletionThatIsNeverAnsweredIsUnknown(t *testing.T) {
	db, store, f := opened(t)
	claim := claimed(t, mails(t, db, store, "int", 1), 10, 1)
	ctx, cancel := context.WithCancel(context.Background())
	f.set(nil, func(query string, _ []driver.NamedValue) error {
		if strings.Contains(query, "done = done + 1") {
			cancel()
			return ctx.Err()
		}
		return nil
	})
	mustBe(t, claim.Complete(ctx, 1), ErrUnknownOutcome)
}

func TestAClaimWithoutAnAnswerLeavesNoRow(t *testing.T) {
	db, store, f := opened(t)
	claims := mails(t, db, store, "int", 1)
	ctx, cancel := context.WithCancel(context.Background())
	f.set(nil, func(query string, _ []driver.NamedValue) error {
		if query == "COMMIT" {
			f.set(nil, nil)
			cancel()
			return ctx.Err()
		}
		return nil
	})
	_, err := claims.Claim(ctx, 1)
	mustBe(t, err, context.Canceled)
	eventually(t, "the row", func() bool {
		claim, err := claims.Claim(context.Background(), 1)
		must(t, err)
		return len(claim.Rows) == 1
	})
}

func TestACompletionInATransactionCountsIfItCommits(t *testing.T) {
	ctx := context.Background()
	db, store, _ := opened(t)
	claim := claimed(t, mails(t, db, store, "int", 1, 2), 10, 2)
	for key, commits := range map[int]bool{1: true, 2: false} {
		tx, err := db.Begin()
		must(t, err)
		must(t, claim.CompleteIn(ctx, tx, key))
		if commits {
			must(t, tx.Commit())
		} else {
			must(t, tx.Rollback())
		}
	}
	// A renewal finds that out.
	pass(store, lease/2)
	eventually(t, "the row whose transaction was rolled back", func() bool { return fmt.Sprint(claim.Held()) == "[2]" })
	must(t, claim.Check())
	if done := doneOf(t, db); done != 1 {
		t.Fatalf("%d rows were completed", done)
	}
}

func TestKeysOfBytesNeedUnhex(t *testing.T) {
	db, store, _ := opened(t)
	run(t, db, "CREATE TABLE mail (id blob, claimed_by varchar(32), claimed_until bigint)")
	run(t, db, "INSERT INTO mail (id) VALUES (x'00ff')")
	claims, err := store.Claims(context.Background(), ClaimOptions{Table: "mail"})
	if _, missing := db.Exec("SELECT unhex('')"); missing != nil {
		if err == nil || !strings.Contains(err.Error(), "SQLite 3.41") {
			t.Fatalf("it is told as %v", err)
		}
		return
	}
	must(t, err)
	must(t, claimed(t, claims, 1, 1).Complete(context.Background(), "00FF"))
}

func TestTokensAreUsedOnce(t *testing.T) {
	ctx := context.Background()
	_, store, f := opened(t)
	tokens := store.Tokens("login")
	token, err := tokens.Issue(ctx, "mary", time.Hour, "payload")
	must(t, err)
	status := func(one Token, err error) string {
		must(t, err)
		return one.Status
	}
	if is := status(tokens.Peek(ctx, token)); is != "ok" {
		t.Fatal(is)
	}
	if is := status(store.Tokens("other").Consume(ctx, token)); is != "unknown" {
		t.Fatal(is)
	}
	// The first answer is lost: the token is ours all the same.
	f.set(nil, func(query string, _ []driver.NamedValue) error {
		if strings.Contains(query, "UPDATE dibs_token") {
			f.set(nil, nil)
			return driver.ErrBadConn
		}
		return nil
	})
	used, err := tokens.Consume(ctx, token)
	must(t, err)
	if !used.OK() || used.Subject != "mary" || used.Payload != "payload" {
		t.Fatal(used)
	}
	if is := status(tokens.Consume(ctx, token)); is != "used" {
		t.Fatal(is)
	}
	if is := status(tokens.Peek(ctx, token)); is != "used" {
		t.Fatal(is)
	}
	for _, stranger := range []string{"", "?", token + "A", strings.Repeat("A", 43)} {
		if is := status(tokens.Consume(ctx, stranger)); is != "unknown" {
			t.Fatal(is)
		}
	}
	short, err := tokens.Issue(ctx, "mary", time.Millisecond, "")
	must(t, err)
	time.Sleep(20 * time.Millisecond)
	if is := status(tokens.Consume(ctx, short)); is != "expired" {
		t.Fatal(is)
	}
}

func TestAClosedStoreHoldsNothing(t *testing.T) {
	db, store, _ := opened(t)
	acquired(t, store, "closed")
	claims := mails(t, db, store, "int", 1)
	claimed(t, claims, 1, 1)
	must(t, store.Close(context.Background()))
	if ownerOf(t, db, "closed") != "" {
		t.Fatal("a lease is left")
	}
	_, err := store.Lock("closed").TryAcquire(context.Background())
	mustBe(t, err, ErrClosed)
	_, err = claims.Claim(context.Background(), 1)
	mustBe(t, err, ErrClosed)
}

func TestWhatIsWrongIsSaidInASentence(t *testing.T) {
	ctx := context.Background()
	db, store, _ := opened(t)
	run(t, db, "CREATE TABLE mail (id real, claimed_by varchar(32), claimed_until bigint)")
	for wrong, o := range map[string]ClaimOptions{
		"is not a name":      {Table: "mail; DROP TABLE mail"},
		"no such table":      {Table: "male"},
		"no such column":     {Table: "mail", Key: "key"},
		"cannot be the key":  {Table: "mail"},
		"has a ;":            {Table: "mail", Where: "1 = 1; DROP TABLE mail"},
		"has a --":           {Table: "mail", Where: "1 = 1 -- all"},
		"does not close the": {Table: "mail", Where: "done = 0) OR (1 = 1"},
		"opens a ' that":     {Table: "mail", Where: "name = 'x"},
		"has a parameter":    {Table: "mail", Where: "done = ?"},
		"the lease is 25h":   {Table: "mail", Lease: 25 * time.Hour},
	} {
		if _, err := store.Claims(ctx, o); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, name := range []string{"", "a\x00b", "\xff", strings.Repeat("x", 201), strings.Repeat("\U0001F600", 101)} {
		if _, err := store.Lock(name).TryAcquire(ctx); err == nil {
			t.Errorf("the name %q is accepted", name)
		}
	}
	must(t, acquired(t, store, strings.Repeat("\U0001F600", 100)).Release(ctx))
}

func TestValuesAreWrittenSoThatNothingNeedsToBeEscaped(t *testing.T) {
	d := mysql("mysql")
	text, args := d.bound(step{binds: []string{"name", "n", "bytes", "none"}, sql: "? ? ? ? " + questionMark},
		values{"name": `'\é`, "n": int64(-7), "bytes": []byte{0, 39}, "none": nil})
	if text != "_utf8mb4 x'275cc3a9' -7 x'0027' NULL ?" || args != nil {
		t.Fatal(text)
	}
	if names := postgres().pairs([]pair{{`a"b\c`, "0f"}})["names"]; names != `{"a\"b\\c"}` {
		t.Fatal(names)
	}
}
