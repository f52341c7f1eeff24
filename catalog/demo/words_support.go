package demo

// This file has the word lists of tickets, macros and reports: constant tables only.

type slaPolicy struct {
	name                 string
	response, resolution int // hours
}

var slaPolicies = []slaPolicy{{"standard", 24, 120}, {"silver", 12, 72}, {"gold", 4, 36}, {"enterprise", 1, 12}}

type macroText struct{ name, category, body, sets string }

var macros = []macroText{
	{"Ask for invoice number", "billing",
		"Hello {company}, which invoice is {ticket} about? The number starts with inv_.", "pending"},
	{"Explain payment terms", "billing",
		"Hello {company}, your payment terms are printed on each invoice below the total.", "solved"},
	{"Refund is on its way", "billing",
		"Hello {company}, the refund for {ticket} was issued and takes up to five bank days.", "solved"},
	{"Copy of invoice sent", "billing",
		"Hello {company}, a copy of the invoice was sent to your accounts address.", "solved"},
	{"Where is my order", "delivery",
		"Hello {company}, your order has left the warehouse. The tracking code is in your confirmation.", "solved"},
	{"Delay at the carrier", "delivery",
		"Hello {company}, the carrier reports a delay. We follow {ticket} up every day.", "pending"},
	{"Ask for delivery address", "delivery",
		"Hello {company}, please confirm the delivery address for {ticket}.", "pending"},
	{"Carrier claim opened", "delivery",
		"Hello {company}, we opened a claim with the carrier and will come back to you.", "open"},
	{"Return label", "returns",
		"Hello {company}, here is the return label for {ticket}. Please use the first box.", "pending"},
	{"Return received", "returns", "Hello {company}, your return arrived and is being checked.", "open"},
	{"Return refused", "returns", "Hello {company}, the time for returns is over for this order. We are sorry.", "solved"},
	{"Ask for photos", "returns", "Hello {company}, please send two photos of the damage for {ticket}.", "pending"},
	{"Manual attached", "product", "Hello {company}, the manual is attached. Page two answers: {subject}", "solved"},
	{"Spare part ordered", "product", "Hello {company}, the spare part was ordered and ships within a week.", "pending"},
	{"Known fault", "product", "Hello {company}, this is a known fault. A replacement is being prepared.", "open"},
	{"Warranty extended", "product", "Hello {company}, we extended your warranty by a year for the trouble.", "solved"},
	{"Reset login", "account", "Hello {company}, the login was reset. Please choose a new one within a day.", "solved"},
	{"Address changed", "account", "Hello {company}, your new address is in use from today.", "solved"},
	{"Contact changed", "account", "Hello {company}, the new contact person was noted.", "solved"},
	{"Ask for authority", "account", "Hello {company}, please let an authorised person confirm this change.", "pending"},
}

// A ticketTopic's {it} is an order, an invoice or a product, as about says.
type ticketTopic struct{ category, about, subject, body string }

var ticketTopics = []ticketTopic{
	{"billing", "invoice", "Question about {it}", "Hello, we do not understand one line of {it}. Could you explain it?"},
	{"billing", "invoice", "Refund for {it}", "Hello, part of {it} was billed twice. {company} asks for a refund."},
	{"billing", "invoice", "{it} paid but reminded", "We paid {it} last week and got a reminder today."},
	{"billing", "invoice", "Purchase order number missing on {it}",
		"Our accounting cannot book {it} without the purchase order number."},
	{"delivery", "order", "Where is {it}?", "We have been waiting for {it} for days. When does it arrive?"},
	{"delivery", "order", "{it} arrived incomplete", "One box of {it} is missing. The driver knew nothing."},
	{"delivery", "order", "Change delivery address of {it}", "Please send {it} to our other site."},
	{"returns", "order", "Return part of {it}", "Two pieces of {it} are not what we need. How do we return them?"},
	{"returns", "order", "{it} damaged", "The packaging of {it} was torn and the goods are scratched."},
	{"product", "product", "{it} does not work", "Our {it} stopped working after a week. What can we do?"},
	{"product", "product", "Spare parts for {it}", "Do you have spare parts for the {it}?"},
	{"product", "product", "Is the {it} certified?", "We need the certificate of the {it} for an audit."},
	{"account", "none", "New contact person", "Our purchasing has a new head. Please change your records."},
	{"account", "none", "Cannot log in to the shop", "The shop refuses our password since Monday."},
	{"account", "none", "Change of company address", "{company} has moved. Please use the new address."},
}

var agentReplies = []string{
	"Thank you for writing. I am looking into it and come back to you today.",
	"I am sorry for the trouble. I have asked the warehouse.",
	"Thank you. Could you send me one more detail?", "I see what happened and am putting it right.",
	"I passed this to the team that can decide it.",
}

var customerReplies = []string{
	"Thank you, we wait to hear from you.", "Here is what you asked for.", "Any news?", "This is getting urgent for us.",
	"That would be fine.",
}

var closingReplies = []string{
	"This is settled now. Thank you for your patience.", "Done. Please write again if anything is open.",
	"The matter is closed on our side.",
	"We corrected it and noted it for the future.",
}

var escalationReasons = []string{
	"Promised time is over", "Customer threatens to leave", "Third ticket about the same thing", "Legal question",
	"Large order at risk",
}

var resolutions = []string{
	"Called the customer and agreed on a date", "Replacement sent by express", "Credit granted", "Explained and accepted",
	"Handed to management",
}

type datasetText struct{ name, about string }

var datasets = []datasetText{
	{"revenue", "Invoiced, received and refunded by month, in cents."},
	{"support", "Tickets opened and solved by month."},
	{"sales", "Units ordered by month and product group."},
	{"leads", "Leads by month and status."},
}

var reportNames = []string{
	"Monthly revenue", "Support load", "Sales by product group", "Lead funnel", "Board summary", "Service level review",
	"Stock planning", "Marketing check", "Refund watch", "Agent coaching",
}
