package dibs_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"dibs.dev/dibs"
	_ "github.com/mattn/go-sqlite3"
)

// A file of SQLite with the tables of Dibs and one of the caller's. A server is opened likewise: sql.Open("postgres", "dbname=shop").
func shop() (*sql.DB, *dibs.Store, func()) {
	folder, err := os.MkdirTemp("", "dibs")
	if err != nil {
		log.Fatal(err)
	}
	db, err := sql.Open("sqlite3", filepath.Join(folder, "shop.db"))
	if err != nil {
		log.Fatal(err)
	}
	store, err := dibs.Open(context.Background(), db, dibs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.CreateSchema(context.Background()); err != nil {
		log.Fatal(err)
	}
	_, err = db.Exec(`CREATE TABLE mails (id INTEGER PRIMARY KEY, recipient text, sent_at text, claimed_by varchar(32), claimed_until bigint);
		INSERT INTO mails (recipient) VALUES ('mary'), ('john'), ('anne')`)
	if err != nil {
		log.Fatal(err)
	}
	return db, store, func() {
		_ = store.Close(context.Background())
		_ = db.Close()
		_ = os.RemoveAll(folder)
	}
}

// A lock that lasts as long as one transaction, without a lease: what a handler of a request wants.
func ExampleLock_InTransaction() {
	ctx := context.Background()
	_, store, done := shop()
	defer done()

	err := store.Lock("payment:4711").InTransaction(ctx, 2*time.Second, func(tx *sql.Tx) error {
		var left int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM mails WHERE sent_at IS NULL").Scan(&left); err != nil {
			return err
		}
		fmt.Println(left, "are left, and nobody else is at it")
		_, err := tx.ExecContext(ctx, "UPDATE mails SET sent_at = CURRENT_TIMESTAMP WHERE recipient = 'anne'")
		return err
	})
	switch {
	case errors.Is(err, dibs.ErrBusy):
		fmt.Println("somebody else was at it all the time")
	case errors.Is(err, dibs.ErrUnknownOutcome):
		fmt.Println("the answer to the commit was lost: look in the table")
	case err != nil:
		log.Fatal(err)
	}
	// Output: 3 are left, and nobody else is at it
}

// A lease for work that is longer than a transaction. A goroutine renews it.
func ExampleLock_Acquire() {
	ctx := context.Background()
	_, store, done := shop()
	defer done()

	lease, err := store.Lock("nightly-export").Acquire(ctx, 10*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	defer lease.Release(ctx)

	if _, err := store.Lock("nightly-export").TryAcquire(ctx); errors.Is(err, dibs.ErrBusy) {
		fmt.Println("busy for everybody else")
	}
	// Between the steps of long work.
	if err := lease.Check(); err != nil {
		log.Fatal(err)
	}
	// What must not happen twice: the lock is certainly ours up to the commit.
	err = lease.InTransaction(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE mails SET sent_at = CURRENT_TIMESTAMP")
		return err
	})
	fmt.Println(err)
	// Output:
	// busy for everybody else
	// <nil>
}

// Rows of a table that several workers share: each is done by one of them.
func ExampleClaims_Claim() {
	ctx := context.Background()
	_, store, done := shop()
	defer done()

	mails, err := store.Claims(ctx, dibs.ClaimOptions{
		Table: "mails", Where: "sent_at IS NULL", CompleteSet: "sent_at = CURRENT_TIMESTAMP",
	})
	if err != nil {
		log.Fatal(err)
	}
	claim, err := mails.Claim(ctx, 2)
	if err != nil {
		log.Fatal(err)
	}
	// Gives back what is left.
	defer claim.Close(ctx)
	for _, mail := range claim.Rows {
		fmt.Println("to", mail["recipient"])
		if err := claim.Complete(ctx, mail["id"]); errors.Is(err, dibs.ErrLost) {
			fmt.Println("it took too long, and another worker may have it")
		} else if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// to mary
	// to john
}

// A link in a mail that can be used once.
func ExampleTokens_Consume() {
	ctx := context.Background()
	_, store, done := shop()
	defer done()

	token, err := store.Tokens("password-reset").Issue(ctx, "mary", time.Hour, "")
	if err != nil {
		log.Fatal(err)
	}
	for i := 0; i < 2; i++ {
		used, err := store.Tokens("password-reset").Consume(ctx, token)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(used.Status, used.Subject)
	}
	// Output:
	// ok mary
	// used mary
}
