-- any value through pcall
local ok, e = pcall(error, {code = 7})
assert(not ok and e.code == 7)
assert(select("#", pcall(error)) == 2 and select(2, pcall(error, nil)) == nil and select(2, pcall(error, false)) == false)
ok, e = pcall(function() error("boom") end)
assert(e == "test:5: boom", e)
ok, e = pcall(function() error("boom", 0) end)
assert(e == "boom")
local function check(x) if not x then error("bad x", 2) end end
ok, e = pcall(function()
  check(false)
end)
assert(e == "test:11: bad x", e)
assert(select(2, pcall(assert, false, {1}))[1] == 1 and select(2, pcall(assert, nil)) == "assertion failed!")
assert(select(3, pcall(function() return 1, 2 end)) == 2 and select("#", assert(1, 2, 3)) == 3)
---
-- xpcall calls its handler once, with the stack at hand
local n = 0
local ok, text = xpcall(function() n = n + 1 local x = nil; x() end, debug.traceback)
assert(not ok and n == 1 and text:find("stack traceback:\n\ttest:3:", 1, true), text)
assert(select(2, xpcall(error, function(e) return e.a end, {a = 5})) == 5)
assert(select(3, xpcall(function(...) return ... end, print, 1, 2)) == 2)
assert(select(2, xpcall(error, error, 1)) == "error in error handling")
---
-- functions on one line have their own names in tracebacks
local function a() return debug.traceback("m") end local function b() local s = a() return s end local t = {c = function() local s = b() return s end}
local text = t.c() .. "" .. (2 % 3 > 0 and "" or "x")
assert(text == "m\nstack traceback:\n\ttest:2: in function 'a'\n\ttest:2: in function 'b'\n\ttest:2: in function 'c'\n\ttest:3: in main chunk", text)
---
error({code = 7, message = "no stock"}) -- ### "no stock"
---
error("plain", 0) -- ### "plain"
---
local t = {}
print(t.x.y) -- ### "attempt to index a nil value \\(field 'x'"
---
print(undefinedthing.x) -- ### "attempt to index a nil value \\(global 'undefinedthing'\\)"
---
prin("x") -- ### "attempt to call a nil value \\(global 'prin'\\).*did you mean print\\?"
---
string.fromat("x") -- ### "attempt to call a nil value \\(field 'fromat'\\).*did you mean string.format\\?"
---
customers = {}
customer = {id = 1}
print(custmer.id) -- ### "global 'custmer'.*did you mean customer\\?"
---
local a
local t = {}
t.x.y = 1 -- ### "attempt to index a nil value \\(field 'x'"
---
local n = 1
n.x.y = 2 -- ### "attempt to index a (number|nil) value"
---
total = nil
print(1 + total) -- ### "attempt to perform arithmetic on a nil value \\(global 'total'\\)"
---
print({} < {}) -- ### "attempt to compare two table values"
---
print(null.x) -- ### "attempt to index a null value"
---
local s = "x"
s:foo() -- ### "attempt to call a nil value \\(method 'foo'\\)"
---
map(5, print) -- ### "map: the first argument must be a table, got number"
---
local x = = 5 -- ### "expected"
