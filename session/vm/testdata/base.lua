assert(type(nil) == "nil" and type(1) == "number" and type(print) == "function" and type(null) == "null")
assert(tostring(1) == "1" and tostring(1.5) == "1.5" and tostring(-0.1) == "-0.1" and tostring(1e100) == "1e+100")
assert(tostring(1234567890123456) == "1234567890123456" and tostring(2^53) == "9007199254740992")
assert(tostring(1/0) == "inf" and tostring(-1/0) == "-inf" and tostring(nil) == "nil" and tostring(true) == "true")
assert(tonumber("0x10") == 16 and tonumber(" 10 ") == 10 and tonumber("1e2") == 100 and tonumber("10", 2) == 2)
assert(tonumber("zz", 36) == 1295 and tonumber("z", 10) == nil and tonumber("") == nil and tonumber("1 2") == nil)
assert(tonumber("1_000") == nil and tonumber("inf") == nil and tonumber("nan") == nil and tonumber("-0x10") == -16)
assert(select("#") == 0 and select("#", nil, nil) == 2 and select(2, "a", "b") == "b" and select(-1, "a", "b") == "b")
assert(rawequal(nil, nil) and rawlen({1, 2}) == 2 and rawget({a = 1}, "a") == 1)
assert(not pcall(rawset, {}, nil, 1))
---
-- metatables
local log = {}
local t = setmetatable({}, {__index = function(_, k) return k end, __newindex = function(t, k, v) rawset(t, k, v) end})
assert(t.x == "x")
t.y = 1
assert(rawget(t, "y") == 1)
assert(getmetatable("").__index == nil and getmetatable("") == "string")
assert(getmetatable(setmetatable({}, {__metatable = "locked"})) == "locked")
assert(not pcall(setmetatable, setmetatable({}, {__metatable = 1}), {}))
assert(tostring(setmetatable({}, {__tostring = function() return "me" end})) == "me")
---
setmetatable(_G, {}) -- ### "protected metatable"
---
string.upper = nil -- ### "string is read-only: string.upper cannot be set"
---
rawset(string, "upper", 1) -- ### "read-only"
---
setmetatable(string, {}) -- ### "read-only"
---
return load("return 1") -- ### "load is not available: scripts cannot load code"
---
os.execute("ls") -- ### "os.execute is not available: scripts have no access"
---
io.open("/etc/passwd") -- ### "io.open is not available: scripts have no files"
---
require("socket") -- ### "require is not available"
---
debug.sethook() -- ### "debug.sethook is not available"
---
string.dump(print) -- ### "string.dump is not available"
---
-- numbers
assert(math.floor(-1.5) == -2 and math.ceil(1.2) == 2 and math.huge == 1 / 0 and math.fmod(-5, 3) == -2)
local whole, part = math.modf(-3.5)
assert(whole == -3 and part == -0.5)
math.randomseed(7)
local a, b = math.random(), math.random(10)
math.randomseed(7)
assert(a == math.random() and b == math.random(10))
assert(bit32.band(0xff, 0x0f) == 15 and bit32.bnot(0) == 4294967295 and bit32.lshift(1, 31) == 2147483648)
assert(bit32.arshift(-8, 1) == 4294967292 and bit32.extract(0xabcd, 4, 8) == 0xbc and bit32.lshift(1, 32) == 0)
assert(math.max(1, 3, 2) == 3 and math.min(2, 1) == 1 and math.log(8, 2) == 3 and math.type(1) == "integer")
---
-- the clock, in UTC
assert(os.time({year = 1970, month = 1, day = 2, hour = 0}) == 86400)
assert(os.date("!%Y-%m-%d %H:%M:%S", 86399) == "1970-01-01 23:59:59")
assert(os.date("*t", 0).year == 1970 and os.date("*t", 0).yday == 1 and os.difftime(5, 3) == 2)
assert(os.date("%j %U %W %u", 0) == "001 00 00 4")
assert(type(os.clock()) == "number")
---
os.date("%Q") -- ### "invalid conversion specifier '%Q'"
---
-- pairs: the list part first, then by type and value; fields may be cleared on the way
local t, seen = {10, 20, 30, z = 1, a = 2, [true] = 3, [-1] = 4, [2.5] = 5}, {}
for k, v in pairs(t) do seen[#seen + 1] = tostring(k) t[k] = nil end
assert(table.concat(seen, " ") == "1 2 3 -1 2.5 a z true", table.concat(seen, " "))
assert(next(t) == nil and next({}) == nil)
local k, v = next({5})
assert(k == 1 and v == 5 and next({5}, 1) == nil)
local big, n = {}, 0
for i = 1, 5000 do big["k" .. i] = i end
for k, v in pairs(big) do n = n + v big[k] = nil end
assert(n == 12502500 and next(big) == nil)
local u = {a = 1, b = 2, c = 3}
for k in next, u do u[k] = nil end
assert(next(u) == nil)
for i, v in ipairs({1, 2, nil, 4}) do assert(i < 3) end
---
pairs(nil) -- ### "bad argument #1 to 'pairs' \\(table expected, got nil\\)"
---
next({}, "x") -- ### "invalid key to 'next'"
---
assert(math.log10(1000) == 3)
---
-- the usual walks over what there is list its names, and change nothing
local function has(names, want)
  for name in want:gmatch("%S+") do assert(names[name], name .. " is not listed") end
end
local names = {}
for k, v in pairs(_G) do names[k] = true assert(rawget(_G, k) == v, k) end
has(names, "print string _G pairs json math")
names = {}
for k, v in next, string do names[k] = true assert(rawget(string, k) == v and string[k] == v) end
has(names, "format rep gsub find")
names = {}
local k, v = next(table)
while k do names[k] = true k, v = next(table, k) end
has(names, "concat insert sort unpack")
assert(rawget(_G, "print") == print and rawget(_G, "nothing") == nil and rawget(math, "pi") == math.pi and rawget(math, "nothing") == nil)
assert(rawget(_G, "__host_concat") == nil and rawget({}, "print") == nil)
mine = 1
assert(rawget(_G, "mine") == 1 and next(_G) ~= nil)
assert(not pcall(rawset, string, "format", 1) and not pcall(setmetatable, string, nil) and not pcall(table.insert, string, 1))
---
-- io.write and io.stdout print, and give themselves back
assert(io.write("a", 1) == io.stdout and io.stdout:write("b"):write(2.5, "\n") == io.stdout and io.stdout:flush() == io.stdout)
assert(not pcall(function() io.stdout.write = print end) and not pcall(io.stdout.write, io.stdout, {}))
saved = io.stderr
saved:write("to stderr")
