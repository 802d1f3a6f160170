// Lets `dibs conformance` drive the client in Go:
//
//	dibs conformance --url jdbc:.. -- ./conformance
//
// With the names of tables it claims and completes their rows instead, as a test of keys of many types: each has the columns id, claimed_by,
// claimed_until and done, a row without a key and one with a key. "refused" is right for a type that the client does not know.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"dibs.dev/dibs"
	"github.com/go-sql-driver/mysql"
	_ "github.com/lib/pq"
	_ "github.com/mattn/go-sqlite3"
)

type request struct {
	Do          string
	Name, Table string
	LeaseMillis int64
	WaitMillis  int64
	Millis      int64
	N           int
	Keys        []int64
	Commit      bool
	After       []string
	Purpose     string
	Token       string
}

type answer map[string]any

type client struct {
	db      *sql.DB
	store   *dibs.Store
	lease   *dibs.Lease
	claims  map[string]*dibs.Claims
	claimed *dibs.Claim
}

func millis(length int64) time.Duration { return time.Duration(length) * time.Millisecond }

func open() (*sql.DB, error) {
	host, port, name := os.Getenv("DIBS_HOST"), os.Getenv("DIBS_PORT"), os.Getenv("DIBS_DATABASE")
	user, password := os.Getenv("DIBS_USER"), os.Getenv("DIBS_PASSWORD")
	switch os.Getenv("DIBS_DIALECT") {
	case "postgresql":
		return sql.Open("postgres", fmt.Sprintf("host=%s port=%s dbname=%s user='%s' password='%s' sslmode=disable connect_timeout=5",
			host, port, name, user, password))
	case "sqlite":
		return sql.Open("sqlite3", "file:"+name+"?_busy_timeout=300")
	}
	return sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(%s:%s)/%s?timeout=5s&readTimeout=10s", user, password, host, port, name))
}

func (c *client) answer(ctx context.Context, r request) (answer, error) {
	switch r.Do {
	case "acquire":
		lease, err := c.store.Lock(r.Name).WithLease(millis(r.LeaseMillis)).Acquire(ctx, millis(r.WaitMillis))
		c.lease = lease
		if errors.Is(err, dibs.ErrBusy) {
			return answer{"got": false}, nil
		}
		if err != nil {
			return nil, err
		}
		return answer{"got": true, "fence": lease.Fence()}, nil
	case "valid":
		return answer{"valid": c.lease != nil && c.lease.Check() == nil}, nil
	case "release":
		return answer{"released": c.lease != nil && c.lease.Release(ctx) == nil}, nil
	case "add":
		err := c.lease.InTransaction(ctx, c.add(ctx, r))
		return answer{"added": err == nil}, unlessRefused(err)
	case "add_free":
		err := c.store.Lock(r.Name).InTransaction(ctx, 0, c.add(ctx, r))
		return answer{"added": err == nil}, unlessRefused(err)
	case "guard_outside":
		return c.outside(ctx, r.After, func(tx *sql.Tx) error { return c.lease.Guard(ctx, tx) })
	case "consume":
		token, err := c.store.Tokens(r.Purpose).Consume(ctx, r.Token)
		return answer{"status": token.Status}, err
	}
	return c.answerOfClaims(ctx, r)
}

// A refusal is no error: it says that nothing was added.
func unlessRefused(err error) error {
	if errors.Is(err, dibs.ErrBusy) || errors.Is(err, dibs.ErrLost) {
		return nil
	}
	return err
}

// add reads first and writes later: what only the guard makes safe.
func (c *client) add(ctx context.Context, r request) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT n FROM "+r.Table+" WHERE id = 1").Scan(&n); err != nil {
			return err
		}
		time.Sleep(millis(r.Millis))
		_, err := tx.ExecContext(ctx, fmt.Sprintf("UPDATE %s SET n = %d WHERE id = 1", r.Table, n+1))
		return err
	}
}

// outside tells whether it refuses to join a transaction that has ended, as by a ROLLBACK that was sent through it.
func (c *client) outside(ctx context.Context, statements []string, join func(*sql.Tx) error) (answer, error) {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	for _, statement := range append([]string{"ROLLBACK"}, statements...) {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	return answer{"refused": join(tx) != nil}, nil
}

func (c *client) answerOfClaims(ctx context.Context, r request) (answer, error) {
	switch r.Do {
	case "claim":
		claims := c.claims[r.Table]
		if claims == nil {
			var err error
			claims, err = c.store.Claims(ctx, dibs.ClaimOptions{
				Table: r.Table, Where: "done = 0", CompleteSet: "done = done + 1", Lease: millis(r.LeaseMillis),
			})
			if err != nil {
				return nil, err
			}
			c.claims[r.Table] = claims
		}
		claim, err := claims.Claim(ctx, r.N)
		if err != nil {
			return nil, err
		}
		c.claimed = claim
		keys := []any{}
		for _, row := range claim.Rows {
			keys = append(keys, row["id"])
		}
		return answer{"keys": keys}, nil
	case "claim_valid":
		return answer{"valid": c.claimed.Check() == nil}, nil
	case "complete":
		return changed(asKeys(r.Keys), c.claimed.Complete(ctx, asKeys(r.Keys)...))
	case "complete_joined":
		tx, err := c.db.BeginTx(ctx, nil)
		if err != nil {
			return nil, err
		}
		defer tx.Rollback()
		a, err := changed(asKeys(r.Keys), c.claimed.CompleteIn(ctx, tx, asKeys(r.Keys)...))
		time.Sleep(millis(r.Millis))
		if err == nil && r.Commit {
			err = tx.Commit()
		}
		return a, err
	case "complete_outside":
		return c.outside(ctx, r.After, func(tx *sql.Tx) error { return c.claimed.CompleteIn(ctx, tx, asKeys(r.Keys)...) })
	case "release_claim":
		keys := c.claimed.Held()
		a, err := changed(keys, c.claimed.Release(ctx, keys...))
		if closing := c.claimed.Close(ctx); err == nil {
			err = closing
		}
		return a, err
	}
	return answer{"unsupported": true}, nil
}

func asKeys(keys []int64) []any {
	all := []any{}
	for _, key := range keys {
		all = append(all, key)
	}
	return all
}

func changed(keys []any, err error) (answer, error) {
	var lost *dibs.LostRows
	if err != nil && !errors.As(err, &lost) {
		return nil, err
	}
	isLost := map[any]bool{}
	if lost != nil {
		for _, key := range lost.Keys {
			isLost[key] = true
		}
	}
	done, gone := []any{}, []any{}
	for _, key := range keys {
		if isLost[key] {
			gone = append(gone, key)
		} else {
			done = append(done, key)
		}
	}
	return answer{"done": done, "lost": gone}, nil
}

func run(ctx context.Context) error {
	db, err := open()
	if err != nil {
		return err
	}
	// The connections are cut on purpose.
	_ = mysql.SetLogger(log.New(io.Discard, "", 0))
	c := &client{db: db, claims: map[string]*dibs.Claims{}}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		var a answer
		err := error(nil)
		if c.store == nil {
			c.store, err = dibs.Open(ctx, db, dibs.Options{})
		}
		if err == nil {
			a, err = c.answer(ctx, r)
		}
		if err != nil {
			a = answer{"error": err.Error()}
		}
		if err := output.Encode(a); err != nil {
			return err
		}
	}
	return lines.Err()
}

// judge claims and completes the one row of a table that has a key.
func judge(ctx context.Context, store *dibs.Store, table string) string {
	claims, err := store.Claims(ctx, dibs.ClaimOptions{Table: table, Where: "done = 0", CompleteSet: "done = 1"})
	if err != nil {
		return "refused"
	}
	claim, err := claims.Claim(ctx, 100)
	if err != nil || len(claim.Rows) != 1 {
		return fmt.Sprint("FAULT: claimed ", claim, err)
	}
	key := claim.Rows[0]["id"]
	if bytes, is := key.([]byte); is {
		// They can be named by their hexadecimal digits, too.
		key = fmt.Sprintf("%X", bytes)
	}
	if err := claim.Postpone(ctx, 0, key); err != nil {
		return fmt.Sprint("FAULT: of ", key, " postponed: ", err)
	}
	if claim, err = claims.Claim(ctx, 100); err != nil || len(claim.Rows) != 1 {
		return fmt.Sprint("FAULT: claimed again ", claim, err)
	}
	if err := claim.Complete(ctx, claim.Held()...); err != nil {
		return fmt.Sprint("FAULT: of ", key, " completed: ", err)
	}
	if left, err := claims.Claim(ctx, 100); err != nil || len(left.Rows) != 0 {
		return fmt.Sprint("FAULT: left ", left, err)
	}
	return "ok"
}

func judgeAll(ctx context.Context, tables []string) error {
	db, err := open()
	if err != nil {
		return err
	}
	store, err := dibs.Open(ctx, db, dibs.Options{})
	if err != nil {
		return err
	}
	for _, table := range tables {
		fmt.Println(table, judge(ctx, store, table))
	}
	return nil
}

func main() {
	if len(os.Args) > 1 {
		if err := judgeAll(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
