package demo

// This file opens and closes the back office and lists its actions.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"almanac/catalog"
)

// An Office is an open back office. It is safe for concurrent use, even by several processes on the same file.
type Office struct {
	read    *sql.DB // cannot write
	write   *sql.DB // one connection, so that writers of this process wait in line
	entries []catalog.Entry
}

// Open opens the back office in the file at path. It makes and fills the file when there is none or it is empty,
// which takes under a second; the folder must exist. Of several processes that open the same new file one makes it
// and the others wait. A file that is something else is never touched: the error is a *fileError. When ctx ends
// while the file is being made, nothing is left behind. Close the Office when done.
func Open(ctx context.Context, path string) (*Office, error) {
	return open(ctx, path, fullSize())
}

// open is Open with the sizes for a new file.
func open(ctx context.Context, path string, size sizes) (*Office, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("back office: %w", err)
	}
	if err := ready(ctx, path, size); err != nil {
		return nil, err
	}
	o := &Office{}
	if o.read, err = connect(path, "_pragma=query_only(1)"); err != nil {
		return nil, err
	}
	o.read.SetMaxOpenConns(4)
	if o.write, err = connect(path, "_txlock=immediate"); err != nil {
		return nil, errors.Join(err, o.read.Close())
	}
	o.write.SetMaxOpenConns(1)
	if err := o.load(ctx); err != nil {
		return nil, errors.Join(unusable(path, err), o.Close())
	}
	return o, nil
}

// connect prepares connections to the file, which open on first use.
func connect(path, more string) (*sql.DB, error) {
	const common = "_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)&_pragma=synchronous(normal)&"
	db, err := sql.Open("sqlite", dsn(path, common+more))
	if err != nil {
		return nil, fmt.Errorf("back office %s: %w", path, err)
	}
	return db, nil
}

// dsn is the address of a database file, with its path escaped.
func dsn(path, options string) string {
	u := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}
	return u.String() + "?" + options
}

// load makes the entries, and reads one row so that an unusable file fails now, not at the first call.
func (o *Office) load(ctx context.Context) error {
	var today string
	if err := o.read.QueryRowContext(ctx, `SELECT today FROM books`).Scan(&today); err != nil {
		return err
	}
	all, err := parseShapes(shapeText)
	if err != nil {
		return fmt.Errorf("shapes.txt: %w", err)
	}
	for _, a := range actions() {
		e, err := o.entry(all, a)
		if err != nil {
			return err
		}
		o.entries = append(o.entries, e)
	}
	return nil
}

// actions lists all actions of the office.
func actions() []action {
	var all []action
	for _, part := range [][]action{
		crmAccounts(), crmCustomers(), crmContacts(), crmLeads(),
		billingInvoices(), billingInvoiceChanges(), billingPayments(), billingRefunds(), billingCredits(),
		supportTickets(), supportTicketChanges(), supportMacros(), supportEscalations(), supportSLAs(),
		commerceOrders(), commerceProducts(), commerceInventory(), commerceShipments(),
		identityUsers(), identityRoles(), reportingFigures(), reportingDatasets(),
	} {
		all = append(all, part...)
	}
	return all
}

// Entries gives the actions of the office, ordered by domain. They work until Close. The slice belongs to the caller.
func (o *Office) Entries() []catalog.Entry {
	return append([]catalog.Entry(nil), o.entries...)
}

// Close waits for calls under way and closes the file.
func (o *Office) Close() error {
	return errors.Join(o.read.Close(), o.write.Close())
}
