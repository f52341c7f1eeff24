local s = catalog.search("find customer", {limit = 5})
assert(s[1].id == "crm.customer.get" and s.total == 37 and s.set and #s == 1)
assert(tostring(s) == "1 of 37 shown\ncrm.customer.get(id*:str)  R", tostring(s))
local u = catalog.union(s, catalog.namespace("crm", "billing"))
local step = catalog.pick(catalog.top(catalog.filter(u, {mutates = false}), 3), {needs_output = "customer_id"})
assert(step.step == 1 and tostring(step):find("step to customer_id", 1, true))
local plan = catalog.plan({step, catalog.pick(s)})
assert(tostring(plan) == "the plan" and catalog.facets(s).domains.crm == 3)
assert(tostring(catalog.describe("crm.customer.get")) == "the spec")
assert(catalog.intersect({"crm.customer.get"}, s).set)
---
catalog.search({}) -- ### "catalog.search: the query must be a string, got table"
---
catalog.search("x", {"y"}) -- ### "catalog.search: options are named"
---
catalog.plan({5}) -- ### "catalog.plan: item 1 is not a step"
---
catalog.filter({x = 1}) -- ### "catalog.filter: this table is not a set"
---
catalog.describe(billing.invoice) -- ### "an action \\(did you mean its id in quotes\\?\\)"
---
catalog.serch("x") -- ### "field 'serch'.*did you mean catalog.search\\?"
