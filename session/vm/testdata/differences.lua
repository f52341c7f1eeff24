-- What differs from Lua 5.2 on purpose; docs/lua.md says it to users. Everything else is in reference/.
-- Whole numbers up to 2^53 are written in full where 14 digits lose some or are no shorter: most are ids.
assert(tostring(1234567890123456) == "1234567890123456" and tostring(2^53) == "9007199254740992")
assert(tostring(1763837293123400) == "1763837293123400" and tostring(1e15) == "1e+15" and tostring(-1.5e14) == "-1.5e+14")
-- not-a-number has no sign
assert(tostring(0/0) == "nan" and tostring(-(0/0)) == "nan" and tostring(math.sqrt(-1)) == "nan")
-- % with an infinity gives what Lua 5.3 gives
assert(5 % math.huge == 5 and -5 % math.huge == math.huge and 5 % 0 ~= 5 % 0)
-- %q writes numbers as numbers, as Lua 5.3 does
assert(string.format("%q %q", 1, 0.5) == "1 0.5")
-- a comparator may yield
local co = coroutine.wrap(function() table.sort({2, 1}, function(a, b) coroutine.yield("in sort") return a < b end) end)
assert(co() == "in sort")
-- assert takes any error value and passes it on as it is
assert(select(2, pcall(function() assert(false, "plain") end)) == "plain")
assert(select(2, pcall(assert, false, {code = 1})).code == 1)
-- operators and functions of Lua 5.3 and 5.4
assert(7 // 2 == 3 and 6 & 3 == 2 and 6 | 1 == 7 and 6 ~ 3 == 5 and ~0 == -1 and 1 << 4 == 16 and 256 >> 4 == 16)
assert(math.type(1) == "integer" and math.tointeger(3) == 3 and coroutine.isyieldable() == false and "\u{48}" == "H")
local x <const> = 5
assert(x == 5)
-- the message of an operator on a wrong value is that of Lua 5.3
assert(select(2, pcall(function() local t = {} return t.x.y end)):find("attempt to index a nil value %(field 'x'%)"))
-- __gc and __mode do nothing; collectgarbage frees nothing and counts nothing
assert(collectgarbage("count") == 0 and collectgarbage() == 0)
-- an error of a library function has a position also where pcall called it
assert(select(2, pcall(string.rep)):find("^test:%d+: bad argument #1 to 'string.rep'"))
-- coroutine.wrap passes the error of its function on as it is
assert(select(2, pcall(coroutine.wrap(function() error("x") end))) == "test:29: x")
-- setting a field to nil calls __newindex also if it was there
local cleared = setmetatable({x = 1}, {__newindex = function(t, k, v) assert(k == "x" and v == nil) end})
cleared.x = nil
assert(cleared.x == 1)
