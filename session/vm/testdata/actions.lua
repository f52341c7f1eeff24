-- arguments and results travel exactly
local r = test.echo{n = 5, f = 1.5, s = "\0\255", list = {1, {2}}, map = {a = {b = true}}, none = null}
assert(r.n == 5 and r.f == 1.5 and r.s == "\0\255" and r.list[2][1] == 2 and r.map.a.b and r.none == null)
local big = test.big()
assert(tostring(big.id) == "9007199254740993" and type(big.id) == "number" and big.none == null and #big.list == 0)
assert(test.echo{id = big.id}.id == big.id and big.id + 1 == big.id + 1 and tostring(big.id + 1) == "9007199254740994")
assert(big.id > 9007199254740992 and big.id ~= 9007199254740992 and big.id % 10 == 3 and big.id - 1 == 2^53)
local by_id = {[big.id] = "x"}
assert(by_id[test.big().id] == "x" and string.format("%d", big.id) == "9007199254740993")
assert(json.encode(test.big()) == '{"id":9007199254740993,"list":[],"map":{},"none":null}')
assert(tonumber("9007199254740993") == big.id and -big.id < 0)
assert(test.nothing() == nil and test.value({value = {}}) and call("test.echo", {a = 1}).a == 1)
---
-- null counts as false and is not nil
assert(not null and null ~= nil and (null or 5) == 5 and #{null, null} == 2 and tostring(null) == "null")
---
-- a name is a value: it can be kept, compared, passed on
local f = test.echo
assert(type(f) == "action" and tostring(f) == "<action test.echo>" and f == test.echo and repr(f) == "<action test.echo>")
assert(f{a = 1}.a == 1 and map({{a = 1}, {a = 2}}, test.echo)[2].a == 2)
local ok, v = pcall(test.echo, {a = 3})
assert(ok and v.a == 3)
ok, v = xpcall(test.echo, print, {a = 4})
assert(ok and v.a == 4)
---
-- a failed call can be caught and looked into
local ok, e = pcall(test.fails, {})
assert(not ok and e.code == "not_found" and e.hint == "search first" and e.message == "no such customer")
assert(tostring(e) == "no such customer" and e .. "!" == "no such customer!" and e:find("customer") == 9)
assert(e.id == "test.fails")
---
test.fails() -- ### "no such customer \\(search first\\)"
---
test.unknown{} -- ### "test.unknown: unknown"
---
-- a lone value goes to the host, which knows its name; so does a list
local name = next(test.echo(1))
assert(test.echo(1)[name] == 1 and test.echo("x")[name] == "x" and call("test.echo", true)[name] == true)
assert(#test.echo{1, 2}[name] == 2 and next(test.echo(nil)) == nil and test.echo(null)[name] == null)
---
test.echo(print) -- ### "the argument: a function cannot be sent"
---
test.echo({a = 1}, 2) -- ### "test.echo takes one table of named arguments, got 2 arguments"
---
test:echo{a = 1} -- ### "test.echo is called with '.', not with ':', which passes test as an argument"
---
test.echo = 5 -- ### "test.echo cannot be assigned"
---
test.echo{items = {1, {fn = print}}} -- ### "argument items\\[2\\].fn: a function cannot be sent"
---
local t = {}
t.self = t
test.echo{t = t} -- ### "argument t.self: a table that contains itself cannot be sent"
---
test.echo{t = {1, 2, x = 3}} -- ### "argument t: a table with both list items and named fields cannot be sent"
---
test.echo{t = {1, nil, 3}} -- ### "argument t: a list with gaps cannot be sent \\(2 of 3 items are there\\)"
---
test.echo{a = test.big} -- ### "argument a: an action cannot be sent"
---
local n = 1 + test.echo -- ### "attempt to perform arithmetic on an action value"
---
for _, x in ipairs(test.echo) do end -- ### "bad argument #1 to 'ipairs' \\(table expected, got action\\)"
---
call({}) -- ### "call takes an action id and a table"
---
test.denied{} -- ### "denied: this session is read-only"
---
catalogg.search("x") -- ### "global 'catalogg'.*did you mean catalog\\?"
---
-- a namespace says what it has, and pairs goes through the names below it
assert(tostring(depot) == "<namespace depot, 3 actions>" and tostring(depot.part) == "<action depot.part>")
assert(("%s"):format(depot) == "<namespace depot, 3 actions>" and repr({depot}) == "{ <namespace depot, 3 actions> }")
local names = {}
for name, value in pairs(depot) do
  names[#names + 1] = name
  assert(value == depot[name] and type(value) == "action")
end
assert(table.concat(names, " ") == "order part")
---
for _ in pairs(billing.invoice) do end -- ### "billing.invoice is the name of an action, not its result"
