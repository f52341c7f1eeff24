-- Ways out that were tried, each shown to be refused or to change nothing but the script's own world. TestEscapes runs
-- them one after another in one machine and looks after each that the machine is as it was.
---
-- the metatable of strings
assert(getmetatable("") == "string" and getmetatable("").__index == nil)
assert(not pcall(setmetatable, "", {}))
assert(not pcall(rawset, getmetatable(""), "__index", print))
assert(not pcall(function() ("").evil = 1 end))
assert(("x").evil == nil)
---
getmetatable("").__index = function() return "evil" end -- ### "attempt to index a string value|cannot be set|read-only"
---
string.format = print -- ### "string is read-only"
---
-- libraries and the prelude are read-only by every way there is
for name, lib in pairs({string = string, table = table, math = math, os = os, json = json, catalog = catalog,
    coroutine = coroutine, io = io, debug = debug, bit32 = bit32}) do
  assert(not pcall(function() lib.evil = 1 end), name)
  assert(not pcall(function() lib[next(lib) or 1] = nil end) or next(lib) == nil, name)
  assert(not pcall(rawset, lib, "evil", 1), name)
  assert(not pcall(setmetatable, lib, {}), name)
  assert(not pcall(table.insert, lib, 1), name)
  assert(not pcall(table.remove, lib, 1), name)
  assert(not pcall(table.sort, lib), name)
  assert(not getmetatable(lib), name)
  assert(lib.evil == nil and rawget(lib, "evil") == nil, name)
end
---
-- a copy of a library is the script's own
local mine = copy(string)
mine.upper = function() return "evil" end
assert(("x"):upper() == "X" and string.upper("x") == "X")
local merged = merge(string, {upper = 1})
assert(merged.upper == 1 and string.upper ~= 1)
for k in pairs(math) do pcall(rawset, math, k, nil) end
assert(math.floor(1.5) == 1)
---
-- names may be shadowed and come back
print, map, string, pcall_, error_ = 1, 2, 3, pcall, error
assert(print == 1 and string == 3)
print, map, string = nil
assert(type(print) == "function" and type(map) == "function" and type(string) == "table")
_G.pairs = function() return function() end end
rawset(_G, "ipairs", function() error("evil") end)
---
-- the prelude uses its own names, not those that a script has put in their place
pairs, ipairs, type, tostring, next = error, error, error, error, error
local out = map({1, 2}, function(x) return x + 1 end)
assert(out[2] == 3 and sort_by({2, 1}, function(x) return x end)[1] == 1)
---
-- the globals' own table
assert(type(getmetatable(_G)) ~= "table" and not pcall(setmetatable, _G, {}))
assert(_G._G == _G)
_G._G = nil
_G = 1
_G = nil
assert(type(_G) == "table")
---
setmetatable(_G, {__index = function() return print end}) -- ### "protected metatable"
---
-- environments
local function inside()
  local _ENV = {}
  x = 1
  return _ENV
end
assert(inside().x == 1 and x == nil)
local function with(_ENV) return a end
assert(with({a = 5}) == 5)
do
  local _ENV = {assert = assert}
  assert("a" .. "b" == "ab" and -1 % 3 == 2 and 7 // 2 == 3 and 6 & 3 == 2)
end
do
  local _ENV = setmetatable({}, {__index = function(_, name) return name end, __newindex = function() error("no") end})
  local s = y .. z
  _ENV = nil
end
---
_ENV = {}
print("gone") -- ### "attempt to call a nil value"
---
_ENV = nil
x = 1 -- ### "attempt to index a nil value"
---
local _ENV = string
format = 1 -- ### "string is read-only"
---
-- the names that normalised operators use cannot be written, and a script that gets at one through _G spoils nothing
local name = "__host_" .. "concat"
_G[name] = function() return "evil" end
rawset(_G, name, function() return "evil" end)
---
local __host_concat = 1 -- ### "reserved name"
---
function f(__host_mod) end -- ### "reserved name"
---
goto __host_x -- ### "reserved name|no visible label"
---
-- code from text, in every form
for _, f in ipairs({"load", "loadstring", "loadfile", "dofile", "require", "module", "setfenv", "getfenv"}) do
  local ok, e = pcall(_G[f], "return 1")
  assert(not ok and e:find("not available", 1, true), f)
end
local ok, e = pcall(string.dump, function() end)
assert(not ok and e:find("not available", 1, true))
assert(package == nil)
---
load("\27Lua\82\0\1\4\8\4\8\0\25\147\r\n\26\n") -- ### "load is not available"
---
load(function() return "return 1" end) -- ### "load is not available"
---
-- what is left of debug says nothing about the machine
for _, f in ipairs({"debug", "getinfo", "sethook", "gethook", "getlocal", "setlocal", "getupvalue", "setupvalue",
    "upvalueid", "upvaluejoin", "getmetatable", "setmetatable", "getregistry", "getuservalue", "setuservalue"}) do
  assert(not pcall(debug[f], 1, 1, 1), f)
end
assert(not debug.traceback():find("/", 1, true))
---
debug.setmetatable(nil, {__index = print}) -- ### "debug.setmetatable is not available"
---
debug.getregistry() -- ### "debug.getregistry is not available"
---
-- the system
for _, f in ipairs({"exit", "execute", "getenv", "remove", "rename", "tmpname", "setlocale"}) do
  assert(not pcall(function() return os[f]("PATH") end), f)
end
for _, f in ipairs({"open", "popen", "lines", "input", "output", "read", "tmpfile", "close"}) do
  assert(not pcall(function() return io[f]("/etc/passwd") end), f)
end
collectgarbage("collect") collectgarbage("stop")
---
-- finalisers and weak tables have no effect
fired = false
do
  local t = setmetatable({}, {__gc = function() fired = true while true do end end, __mode = "k"})
  t = nil
end
collectgarbage() collectgarbage()
assert(fired == false)
---
-- names of actions
assert(getmetatable(billing) == "action" and getmetatable(billing).__call == nil)
assert(not pcall(setmetatable, billing, {}) and not pcall(rawset, billing, "x", 1) and not pcall(rawget, billing, "x"))
assert(not pcall(function() billing.refund = print end) and not pcall(function() billing.refund.issue = print end))
assert(not pcall(function() return #billing end) and not pcall(pairs, billing) and not pcall(next, billing))
assert(not pcall(function() return billing + 1 end) and not pcall(function() return billing < billing end))
assert(tostring(billing.refund) == "<action billing.refund>")
---
-- a name beyond those of the run is an ordinary nil
assert(crm == nil and rawget(_G, "billing") == nil)
---
call("test.echo\0.evil") -- ### "unknown"
---
call("../../etc/passwd") -- ### "unknown"
---
call(("x"):rep(1000000)) -- ### "unknown|longer than"
---
local id = billing
for i = 1, 1000 do id = id.deeper end -- ### "action id longer than 512 bytes"
---
-- values of the machine's own kinds
local ok, e = pcall(test.fails)
assert(not ok and e.code == "not_found" and getmetatable(e) == "error" and not pcall(setmetatable, e, {}))
for _, v in ipairs({9007199254740993, coroutine.create(print), null, print, json.array({})}) do
  local meta = getmetatable(v)
  assert(meta == nil or type(meta) == "string" or meta == false, tostring(v))
  if type(v) ~= "table" then assert(not pcall(setmetatable, v, {})) end
  if type(v) ~= "table" then assert(not pcall(rawset, v, 1, 1)) end
end
---
-- tables from the host are plain data: what a script puts on them stays on them
local t = test.echo({a = {b = 1}})
setmetatable(t.a, {__index = function(_, k) return k end, __newindex = error})
assert(t.a.zzz == "zzz" and test.echo({a = {b = 1}}).a.zzz == nil)
---
-- a table that lies about itself on the way to the host
local lying = setmetatable({a = 1}, {__index = function() error("evil") end, __pairs = function() error("evil") end,
  __len = function() return 1e15 end, __metatable = "evil", __tostring = function() error("evil") end})
assert(test.echo(lying).a == 1)
---
-- errors that carry what they like
local f = function() return "kept" end
local ok, e = pcall(error, {f = f, co = coroutine.create(f), action = billing})
assert(not ok and e.f() == "kept")
local ok, e = pcall(error, setmetatable({}, {__tostring = function() error("evil") end}))
assert(not ok)
---
error({f = function() end, t = {}}) -- ### "error"
---
error(setmetatable({}, {__tostring = function() error("evil") end, __metatable = false})) -- ### "error"
---
error(setmetatable({}, {__tostring = function() return {} end})) -- ### "error"
---
error(coroutine.create(function() end)) -- ### "error"
---
error(function() end) -- ### "error"
---
error(billing.refund) -- ### "error"
---
error(nil) -- ### "nil|error"
---
-- handlers cannot hold what ends a run, and a broken one harms nobody
assert(select("#", xpcall(error, function() error("again") end, 1)) == 2)
assert(not xpcall(error, error, 1) and not pcall(xpcall, error) and not pcall(xpcall))
---
pcall(xpcall, test.denied, function() return "caught" end) error("not reached") -- ### "denied"
---
coroutine.resume(coroutine.create(test.denied)) error("not reached") -- ### "denied"
---
table.sort({3, 2, 1}, function() pcall(test.denied) return false end) error("not reached") -- ### "denied"
---
("abc"):gsub("%w", function() pcall(test.denied) end) error("not reached") -- ### "denied"
---
setmetatable({}, {__index = function() pcall(test.denied) end}).x = 1 local t = setmetatable({}, {__index = function() pcall(test.denied) end}) local x = t.x error("not reached") -- ### "denied"
---
tostring(setmetatable({}, {__tostring = function() pcall(test.denied) return "x" end})) error("not reached") -- ### "denied"
---
for _ in pairs(setmetatable({}, {__pairs = function() pcall(test.denied) end})) do end error("not reached") -- ### "denied"
---
try(test.denied) error("not reached") -- ### "denied"
---
-- coroutines: themselves, each other, across everything
local co
co = coroutine.create(function() return coroutine.resume(co) end)
local ok, inner = coroutine.resume(co)
assert(ok and inner == false)
assert(not pcall(coroutine.yield) and not coroutine.resume(coroutine.running()))
local w = coroutine.wrap(function() pcall(coroutine.yield, 1) error("end") end)
assert(w() == 1 and not pcall(w) and not pcall(w))
local s = coroutine.wrap(function() table.sort({3, 2, 1}, function(a, b) coroutine.yield(a) return a < b end) end)
assert(type(s()) == "number")
local g = coroutine.wrap(function() return (("ab"):gsub("%w", coroutine.yield)) end)
assert(g() == "a")
local m = setmetatable({}, {__index = function(_, k) return coroutine.yield(k) end})
assert(coroutine.wrap(function() return m.key end)() == "key")
---
-- a coroutine that is left in the middle of everything
left = {}
for i = 1, 20 do
  left[i] = coroutine.wrap(function() pcall(pcall, function() xpcall(coroutine.yield, coroutine.yield) end) end)
  left[i]()
end
left = nil
---
-- what a run leaves behind has no more rights than the run that uses it
saved = billing.refund.issue
keep = coroutine.wrap(function() while true do coroutine.yield(pcall(saved, {})) end end)
keep()
---
-- tables that change while somebody walks them
local t = {} for i = 1, 100 do t[i] = i t["k" .. i] = i end
for k in pairs(t) do t[k] = nil t["new" .. tostring(k)] = 1 end
table.sort({5, 4, 3, 2, 1}, function(a, b) t[#t + 1] = a return a < b end)
local list = {5, 4, 3, 2, 1}
table.sort(list, function(a, b) list[1] = nil list[9] = 1 return a < b end)
assert(not pcall(next, {}, "no such key"))
local walked = 0
for i in ipairs(setmetatable({}, {__index = function(_, i) if i < 5 then return i end end})) do walked = walked + 1 end
---
-- formats and patterns that are none
for _, f in ipairs({"%", "%y", "%1000d", "%.1000f", "%-+ #0-+ #0d", "%c", "%q", "%d", "%s"}) do pcall(string.format, f) end
for _, p in ipairs({"[", "[a", "%", "(", ")", "%b", "%bx", "%f", "%f[", "(()", "%1", "[%", "[]", "[^]"}) do
  pcall(string.find, "abc", p) pcall(string.gsub, "abc", p, "%1") pcall(string.match, "abc", p)
end
assert(not pcall(string.gsub, "abc", "b", "%2"))
assert(not pcall(string.find, "x", ("("):rep(100)))
pcall(string.match, ("x"):rep(100000), ("x?"):rep(1000))
---
json.decode(("["):rep(1000000)) -- ### "nested|deep|max depth"
---
local t = {} for i = 1, 300 do t = {t} end test.echo({t = t}) -- ### "nested deeper"
---
local t = {} t.t = t test.echo(t) -- ### "contains itself"
---
test.echo({f = print}) -- ### "function cannot be sent"
---
-- numbers at the edges
for _, n in ipairs({1/0, -1/0, 0/0, 2^53, -2^63, 2^63, 1e308, -0.0}) do
  pcall(string.sub, "abc", n, -n) pcall(string.byte, "abc", n) pcall(string.char, n)
  pcall(table.unpack, {}, n, n) pcall(table.concat, {}, "", n, n) pcall(table.insert, {}, n, 1) pcall(table.remove, {}, n)
  pcall(select, n, 1) pcall(math.random, n) pcall(tostring, n) pcall(string.format, "%d %x %c", n, n, n)
  pcall(os.date, "%c", n) pcall(utf8 and utf8.char or print, n) pcall(bit32.lshift, 1, n) pcall(coroutine.wrap, n)
  local t = {} pcall(function() t[n] = 1 end)
end
