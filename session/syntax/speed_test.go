package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// This file measures what the prompt asks at every key: the aim is under a millisecond for a thousand lines.

// script is a part of a session's longer script; %[1]d makes the names of each copy its own.
const script = `-- Reminders for what is overdue, part %[1]d.
local cutoff_%[1]d = os.time() - 30 * 24 * 3600
local totals_%[1]d, skipped = {}, 0

local function days_late(invoice, now)
  if not invoice.due_at then return nil, "no due date" end
  local late = math.floor((now - invoice.due_at) / 86400)
  return late > 0 and late or 0
end

-- Sums what a customer owes, by currency.
local function owed(list, factor)
  local sum = {}
  for i, row in ipairs(list) do
    local currency = row.currency or "EUR"
    if row.amount and row.amount > 10 and row.status ~= "void" then
      sum[currency] = (sum[currency] or 0) + row.amount * (factor or 1)
    elseif row.kind == 'none' then
      skipped = skipped + 1
      break
    end
  end
  return sum, #list
end

local page, cursor = 1, nil
repeat
  local answer = billing.invoice.list_unpaid { limit = 100, cursor = cursor, before = cutoff_%[1]d }
  for _, invoice in ipairs(answer.items) do
    local customer = crm.customer.get { id = invoice.customer_id }
    local late, why = days_late(invoice, os.time())
    if why then
      print(string.format("%%s: %%s", invoice.number, why))
    elseif customer and customer.email:match("^[%%w._]+@[%%w.]+$") then
      totals_%[1]d[customer.id] = (totals_%[1]d[customer.id] or 0) + invoice.amount
      if late >= 30 then
        mail.message.send({ to = customer.email, subject = "Invoice " .. invoice.number .. " is " .. late .. " days late",
          body = [[Please see the invoice.]], tags = { "reminder", level = late // 30 } })
      end
    end
  end
  cursor, page = answer.next, page + 1
until not cursor or page > 10

report_%[1]d = { count = 0, total = 0, by_customer = totals_%[1]d }
for id, amount in pairs(totals_%[1]d) do
  report_%[1]d.count = report_%[1]d.count + 1
  report_%[1]d.total = report_%[1]d.total + amount %% 1000
end
`

// thousandLines is a script of a thousand lines, each part in a block of its own, as one function has 200 locals.
func thousandLines() string {
	var b strings.Builder
	for i := range 20 {
		b.WriteString("do " + fmt.Sprintf(script, i) + "end\n")
	}
	for strings.Count(b.String(), "\n") < 1000 {
		b.WriteString("print(report_1.total, #totals)\n")
	}
	return b.String()
}

// Benchmark1000Lines measures each answer on the same text; at is where the cursor stands, near the end.
func Benchmark1000Lines(b *testing.B) {
	src := thousandLines()
	if err := Check(src); err != nil {
		b.Fatal(err)
	}
	line, at := strings.Count(src, "\n")/2, strings.LastIndex(src, ".total +")+len(".to")
	for _, c := range []struct {
		name string
		ask  func()
	}{
		{"Tokens", func() { Tokens(src) }},
		{"Check", func() { Check(src) }},
		{"CheckIncomplete", func() { Check(src[:at]) }},
		{"IsExpression", func() { IsExpression(src) }},
		{"Names", func() { Names(src) }},
		{"PathAt", func() { PathAt(src, at) }},
		{"Uses", func() { Uses(src, line) }},
		{"Normalize", func() {
			if _, _, err := Normalize(src); err != nil {
				b.Fatal(err)
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				c.ask()
			}
		})
	}
}
