package eval

import (
	"fmt"
	"strings"

	"almanac/catalog"
)

// This file makes up actions for large catalogs, where no file of real ones is given. They look like the operations of
// web APIs: services with records, each with the same sixteen operations in words of its own.

const services = `accounting ads analytics appointments archive assets auctions backup banking barcode blog bookings
	broadcast calendar callcenter campaigns careers catering chat clinic cloud coaching commute
	compliance conference construction consent consulting contracts courier courses cowork crowdfunding
	customs dashboard dental deploy devices diary dispatch donations drones elections energy estate
	events expenses export factory farming fitness fleet forms forum freight fuel gallery gaming garage
	gifts grants greenhouse grocery harbour hiring hospital hosting hotel household insurance intranet
	irrigation journal kitchen laboratory laundry leasing legal library lighting loans logbook logistics
	lottery loyalty machinery mailbox maintenance marketplace medical membership metering migration
	mining mobility monitoring mortgage museum music newsletter notary`

const nouns = `agreement alarm album applicant appointment article asset attachment audience auditor badge batch
	beacon bid booking box branch budget bundle camera candidate card case certificate channel checklist
	claim clause comment component condition consent container coupon course crew dashboard deadline
	deposit device dispute document draft driver entry event exception exercise facility feed folder
	forecast form gateway guest guideline hearing holiday image incident inspection installation journal`

type made struct {
	verb, about string
	operation   catalog.Operation
	fields      string // name:type, * for required ones
}

func operations() []made {
	return []made{
		{"list", "List the %ss of %s, the newest first.", catalog.Read, "status:string limit:integer cursor:string"},
		{"get", "Get one %s of %s by its id.", catalog.Read, "*id:string fields:string"},
		{"search", "Search the %ss of %s by words.", catalog.Read, "*query:string limit:integer sort:string"},
		{"count", "Count the %ss of %s by status.", catalog.Read, "status:string since:string"},
		{"history", "Show how a %s of %s has changed.", catalog.Read, "*id:string limit:integer"},
		{"export", "Export the %ss of %s as a file.", catalog.Read, "format:string from:string to:string"},
		{"create", "Add a %s to %s.", catalog.Create, "*name:string description:string tags:string owner:string"},
		{"update", "Change a %s of %s.", catalog.Update, "*id:string name:string description:string status:string"},
		{"archive", "Archive a %s of %s.", catalog.Update, "*id:string reason:string"},
		{"restore", "Restore an archived %s of %s.", catalog.Update, "*id:string"},
		{"assign", "Give a %s of %s to somebody.", catalog.Update, "*id:string *user:string notify:boolean"},
		{"approve", "Approve a %s of %s.", catalog.Update, "*id:string comment:string"},
		{"share", "Share a %s of %s with a group.", catalog.Update, "*id:string *group:string role:string"},
		{"copy", "Copy a %s of %s.", catalog.Create, "*id:string name:string"},
		{"delete", "Delete a %s of %s.", catalog.Delete, "*id:string force:boolean"},
		{"import", "Import %ss into %s from a file.", catalog.Admin, "*url:string replace:boolean"},
	}
}

// Padding makes up n actions, always the same.
func Padding(n int) ([]catalog.Entry, error) {
	of, records, does := strings.Fields(services), strings.Fields(nouns), operations()
	all := len(of) * len(records) * len(does)
	if n > all {
		return nil, fmt.Errorf("padding: %d actions: at most %d can be made up; give a file of others", n, all)
	}
	entries := make([]catalog.Entry, 0, n)
	for i := range n {
		// A stride that shares no factor with the whole visits each once, and services and verbs in turn.
		k := int(int64(i) * 48271 % int64(all))
		service, noun, op := of[k%len(of)], records[k/len(of)%len(records)], does[k/len(of)/len(records)]
		entries = append(entries, catalog.Entry{
			ID:          service + "." + noun + "." + op.verb,
			Description: fmt.Sprintf(op.about, noun, service), Operation: op.operation, Mutates: op.operation != catalog.Read,
			Entities: []string{noun}, Input: catalog.KnownSchema([]byte(op.schema(noun))), Action: unavailable,
		})
	}
	return entries, nil
}

// schema is the JSON Schema of an operation's arguments.
func (m made) schema(noun string) string {
	var properties, required []string
	for _, field := range strings.Fields(m.fields) {
		name, kind, _ := strings.Cut(field, ":")
		name, is := strings.CutPrefix(name, "*")
		about := "The " + name + " of the " + noun + "."
		if name == "id" {
			name, about = noun+"_id", "Which "+noun+"."
		}
		properties = append(properties, fmt.Sprintf(`%q:{"type":%q,"description":%q}`, name, kind, about))
		if is {
			required = append(required, fmt.Sprintf("%q", name))
		}
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`,
		strings.Join(properties, ","), strings.Join(required, ","))
}
