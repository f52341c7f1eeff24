-- What random programs found, see diff/. An operation over several lines fails at the line of its operator, a
-- concatenation at its last one.
local function line(f, ...) return tonumber(select(2, pcall(f, ...)):match("^test:(%d+):")) end
assert(line(function() return "a" ..
  1 ..
  nil end) == 5)
assert(line(function() return "a" ..
  nil .. (1
  .. 2) end) == 9)
assert(line(function(x) return 1
  + x
  % 2 end) == 12)
assert(line(function() return 5
  %
  nil end) == 14)
assert(line(function() for i = nil,
  2
  do end end) == 18)
assert(line(function() return tostring(1) <= 7 %
  4 end) == 20)
assert(line(function() local t = setmetatable({}, {__concat = function() error("here", 2) end}) return "a"
  ..
  t end) == 22)
---
-- Levels of errors are those of Lua: the function that returned the call is done, an operator is no function.
local function raise() error("up", 2) end
local function wrap(...) return raise(...) end
local ok, e = pcall(function()
  local x = wrap(1, 2)
end)
assert(e == "test:5: up", e)
ok, e = pcall(function(...)
  local function f(...) return pcall(function() error("here", 3) end, ...) end
  return select(2, f(1))
end, 1)
assert(e == "test:9: here", e)
local t = setmetatable({}, {__mod = raise, __concat = raise, __idiv = raise})
for _, f in ipairs{function() return t % 1 end, function() return 1 .. t end, function() return t // 1 end} do
  assert(select(2, pcall(f)) == "test:14: up")
end
---
-- __len, __eq and __newindex work also after a field was looked for that is not there and has no __index.
local meta = {__len = function() return 7 end, __eq = function() return true end, __newindex = function(t, k, v) rawset(t, k, 2 * v) end}
local t, u = setmetatable({}, meta), setmetatable({}, meta)
assert(t.x == nil and u.x == nil and #t == 7 and t == u)
t.x = 4
assert(t.x == 8 and t.y == nil and #t == 7)
local n = 0
for k, v in pairs(meta) do n = n + 1 assert(k ~= "__index") end
assert(n == 3 and rawget(meta, "__index") == nil)
meta.__index = {z = 3}
assert(t.z == 3 and #t == 7)
local by_id = {}
for i = 20000, 1, -1 do if not by_id[i] then by_id[i] = i end end
assert(#by_id == 20000)
---
-- A number as an error gets a position; a dead coroutine too.
assert(select(2, pcall(function() error(5) end)) == "test:2: 5" and select(2, pcall(error, 5, 0)) == 5)
local f = coroutine.wrap(function() end) f()
assert(select(2, pcall(function() f() end)) == "test:4: cannot resume dead coroutine")
---
local x = "a" % 2 -- ### "attempt to perform arithmetic on a string value$"
---
local a, b = coroutine.create(print), coroutine.create(print)
print(a <= b) -- ### "attempt to compare two thread values$"
---
print(coroutine.create(print) > 1) -- ### "attempt to compare number with thread$"
---
print(test.a < null) -- ### "attempt to compare action with null"
---
table.concat(nil, {}) -- ### "bad argument #2 to 'concat' .string expected, got table."
---
-- The handler of an xpcall is asked about its own errors too.
local n = 0
local ok, e = xpcall(error, function(e)
  n = n + 1
  if n < 3 then error("again " .. n) end
  return "third: " .. e
end, "x")
assert(not ok and n == 3 and e == "third: test:5: again 2", e)
assert(select(2, xpcall(error, function() nope() end)) == "error in error handling")
---
-- A metamethod that cannot be called: it has no name, and the other operand's is not asked.
local t = setmetatable({}, {__lt = {}, __concat = "no"})
local u = setmetatable({}, {__concat = function() return "yes" end})
assert(select(2, pcall(function() return t < t end)) == "test:4: attempt to call a table value")
assert(select(2, pcall(function() return t .. u end)):find("attempt to call a string value$"))
---
-- The sign of zero, in text with a base and in formats; # leaves a zero alone.
assert(1 / tonumber("-0", 10) == -math.huge and 1 / tonumber("-0", 16) == -math.huge)
assert(("%+a|% a|%+a"):format(1, 1, -0.0) == "+0x1p+0| 0x1p+0|-0x0p+0")
assert(("%#.3o|%#o|%#.3x|%#x|%#.0o|%#.0x|"):format(0, 0, 0, 0, 0, 0) == "000|0|000|0|0||")
assert(("%+5.1f|%05d|%+d|% 5d|%-6.2f|%+.1e|%#x|%#08x|%+u"):format(-0.0, -42, 42, 42, 1.5, 10, 255, 255, 3) ==
  " -0.0|-0042|+42|   42|1.50  |+1.0e+01|0xff|0x0000ff|3")
assert(("%5.1f|%-6f|%+f|%06f|%F"):format(math.huge, -math.huge, math.huge, math.huge, math.huge) == "  inf|-inf  |+inf|   inf|INF")
---
string.gsub("a", "a", true, true) -- ### "bad argument #4 to 'gsub' .number expected, got boolean."
