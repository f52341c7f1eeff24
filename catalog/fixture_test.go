package catalog

import (
	"testing"
)

const (
	customerItem = `{"type":"object","title":"customer","properties":{"id":{"type":"integer"},"name":{"type":"string"},"email":{"type":"string"}}}`
	invoiceItem  = `{"type":"object","title":"invoice","properties":{"id":{"type":"integer"},"customer_id":{"type":"integer"},"amount_cents":{"type":"integer"},"due_date":{"type":"string","format":"date"},"status":{"type":"string","enum":["open","paid","void"]}}}`
	ticketItem   = `{"type":"object","title":"ticket","properties":{"id":{"type":"integer"},"subject":{"type":"string"},"status":{"type":"string"}}}`
)

func listOf(item string) *Schema { return MustSchema(`{"type":"array","items":` + item + `}`) }

// input makes an argument schema: props is the inside of "properties", required the inside of "required".
func input(props, required string) *Schema {
	return MustSchema(`{"type":"object","properties":{` + props + `},"required":[` + required +
		`],"additionalProperties":false}`)
}

func read(id, description string, in, out *Schema, tags ...string) Entry {
	return Entry{ID: id, Description: description, Operation: Read, Input: in, Output: out, Tags: tags}
}

func write(id, description string, op Operation, risk Risk, in, out *Schema, tags ...string) Entry {
	return Entry{ID: id, Description: description, Operation: op, Mutates: true, Risk: risk,
		Input: in, Output: out, Tags: tags}
}

// about adds entities to an entry.
func about(e Entry, entities ...string) Entry {
	e.Entities = entities
	return e
}

// office is a small back office.
func office() []Entry {
	idIn := input(`"id":{"type":"integer","description":"Its id."}`, `"id"`)
	customerIn := input(`"customer_id":{"type":"integer","description":"The customer's id."},"limit":{"type":"integer","default":25,"minimum":1,"maximum":200}`, `"customer_id"`)
	search := about(read("crm.customer.search", "Find customer accounts by company name, contact or email.",
		input(`"query":{"type":"string","description":"Words to look for."},"company_name":{"type":"string","description":"The company's name."},"limit":{"type":"integer","default":20}`, ``),
		listOf(customerItem), "crm", "customer", "search"), "customer")
	search.Aliases = []string{"find customer", "lookup account"}
	unpaid := about(read("billing.invoice.list_unpaid", "List unpaid invoices for a customer. Oldest first.", customerIn,
		listOf(invoiceItem), "billing", "invoice", "unpaid", "collections"), "customer", "invoice")
	unpaid.Aliases = []string{"open invoices", "past due invoices"}
	unpaid.Examples = []string{"local invoices = billing.invoice.list_unpaid({\n  customer_id = customer.id,\n  limit = 10\n})"}
	note := about(read("billing.refund.draft_note", "Draft a refund note for an invoice. Nothing is issued.",
		input(`"invoice_id":{"type":"integer"},"tone":{"type":"string","enum":["plain","warm"],"default":"plain"}`,
			`"invoice_id"`),
		MustSchema(`{"type":"object","title":"note","properties":{"invoice_id":{"type":"integer"},"text":{"type":"string"}}}`), "billing", "refund"), "refund", "invoice")
	return []Entry{
		search, unpaid, note,
		about(read("crm.customer.get", "Get one customer account.", idIn, MustSchema(customerItem), "crm", "customer"),
			"customer"),
		about(write("crm.customer.create", "Create a customer account for a company.", Create, Low,
			input(`"name":{"type":"string"},"email":{"type":"string"}`, `"name"`), MustSchema(customerItem), "crm"), "customer"),
		about(write("crm.customer.delete", "Delete a customer and everything that hangs on it.", Delete, High, idIn,
			nil, "crm", "danger"), "customer"),
		about(read("crm.contact.list", "List the contacts of a customer.", customerIn,
			listOf(`{"type":"object","title":"contact","properties":{"id":{"type":"integer"},"phone":{"type":"string"}}}`),
			"crm"), "contact", "customer"),
		about(read("crm.lead.search", "Find sales leads by company or region.", input(`"query":{"type":"string"}`, `"query"`),
			listOf(`{"type":"object","title":"lead","properties":{"id":{"type":"integer"},"score":{"type":"number"}}}`), "crm",
			"sales"), "lead"),
		about(read("billing.invoice.get", "Get one invoice with its lines.", idIn, MustSchema(invoiceItem), "billing"),
			"invoice"),
		about(read("billing.invoice.search", "Search invoices by number, status or date.",
			input(`"status":{"type":"string"},"from_date":{"type":"string"}`, ``), listOf(invoiceItem), "billing"), "invoice"),
		about(write("billing.invoice.void", "Void an invoice.", Update, High,
			input(`"invoice_id":{"type":"integer"},"reason":{"type":"string"}`, `"invoice_id","reason"`),
			MustSchema(invoiceItem), "billing"), "invoice"),
		about(read("billing.payment.list", "List payments of a customer.", customerIn,
			listOf(`{"type":"object","title":"payment","properties":{"id":{"type":"integer"},"amount_cents":{"type":"integer"}}}`), "billing"), "payment"),
		about(write("billing.refund.issue", "Issue a refund for an invoice.", Create, High,
			input(`"invoice_id":{"type":"integer"},"amount_cents":{"type":"integer","minimum":1}`,
				`"invoice_id","amount_cents"`),
			MustSchema(`{"type":"object","title":"refund","properties":{"id":{"type":"integer"}}}`), "billing", "refund"),
			"refund", "invoice"),
		about(read("billing.refund.list", "List refunds of a customer.", customerIn,
			listOf(`{"type":"object","title":"refund","properties":{"id":{"type":"integer"}}}`), "billing", "refund"), "refund"),
		about(write("billing.credit.grant", "Grant a credit to a customer.", Create, Medium, customerIn, nil, "billing"),
			"credit", "customer"),
		about(read("support.ticket.search", "Find support tickets by words or status.",
			input(`"query":{"type":"string"},"status":{"type":"string"}`, ``), listOf(ticketItem), "support"), "ticket"),
		about(write("support.ticket.reply", "Reply to a ticket.", Create, Low,
			input(`"ticket_id":{"type":"integer"},"text":{"type":"string"}`, `"ticket_id","text"`), nil, "support"), "ticket"),
		about(write("support.ticket.escalate", "Escalate a ticket to another team.", Update, Medium,
			input(`"ticketId":{"type":"integer"},"team":{"type":"string"}`, `"ticketId"`),
			MustSchema(ticketItem), "support"), "ticket"),
		about(read("support.macro.list", "List reply macros.", nil,
			listOf(`{"type":"object","title":"macro","properties":{"id":{"type":"integer"},"body":{"type":"string"}}}`),
			"support"), "macro"),
		about(read("commerce.order.list", "List orders of a customer, newest first.", customerIn,
			MustSchema(`{"type":"object","properties":{"orders":{"type":"array","items":{"type":"object","title":"order","properties":{"id":{"type":"integer"},"total_cents":{"type":"integer"}}}},"next":{"type":"string"}}}`), "commerce"), "order"),
		about(write("commerce.order.cancel", "Cancel an order.", Update, Medium,
			input(`"order_id":{"type":"integer"}`, `"order_id"`), nil, "commerce"), "order"),
		about(read("commerce.product.search", "Search products.",
			input(`"query":{"type":"string"}`, `"query"`), nil, "commerce"), "product"),
		write("identity.user.suspend", "Suspend a user account.", Admin, High,
			input(`"user_id":{"type":"integer"}`, `"user_id"`), nil, "identity"),
		read("reporting.revenue.by-month", "Revenue by month.", input(`"year":{"type":"integer"}`, ``),
			MustSchema(`{"type":"array","items":{"type":"object","properties":{"month":{"type":"string"},"cents":{"type":"integer"}}}}`), "reporting"),
	}
}

func officeView(t testing.TB) *View {
	t.Helper()
	c, report := New(office(), Options{})
	if len(report.Skipped) > 0 {
		t.Fatalf("skipped: %v", report.Skipped)
	}
	return c.View()
}

func mustSearch(t testing.TB, v *View, query string, o SearchOptions) Set {
	t.Helper()
	s, err := v.Search(query, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ids(s Set) []string {
	out := []string{}
	for _, hit := range s.Hits() {
		out = append(out, hit.ID)
	}
	return out
}

func ptr[T any](v T) *T { return &v }
