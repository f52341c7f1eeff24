// Package demo is a complete back office in one SQLite file: customers, invoices, tickets, orders, staff and reports of
// a small wholesaler, with actions on them.
//
//	Kind        the office as a source
//	Office      the open database; Entries gives its actions
//	fileError   why a file could not be used as a back office
//
// Start at Open. The contents are made by a seeded generator (gen*.go) into the tables of schema.sql; an action is a
// block of text and SQL (crm.go, billing.go, refund.go, support.go, commerce.go, identity.go, reporting.go) that
// action.go turns into a catalog.Entry. In the office it is always 2026-10-31, so answers never change by themselves.
package demo
