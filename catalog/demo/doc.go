// Package demo is a whole back office in one SQLite file: customers, invoices, tickets, orders, staff and reports
// of a small wholesaler, and the actions over them.
//
//	Kind        the office as a source
//	Office      the open database; Entries gives its actions
//	fileError   why a file could not be used as a back office
//
// Start at Open. The contents are made by a seeded generator (gen*.go) into the tables of schema.sql; an action is
// a block of text and SQL (crm.go, billing.go, refund.go, support.go, commerce.go, identity.go, reporting.go) that
// action.go turns into a catalog.Entry. The books stand at 2026-10-31 whatever the day, so answers never change by
// themselves.
package demo
