local co = coroutine.create(function(a, b)
  local c = coroutine.yield(a + b)
  local d, e = coroutine.yield(c * 2)
  return d .. e
end)
assert(select(2, coroutine.resume(co, 1, 2)) == 3 and select(2, coroutine.resume(co, 10)) == 20)
assert(coroutine.status(co) == "suspended" and type(co) == "thread")
assert(select(2, coroutine.resume(co, "x", "y")) == "xy" and coroutine.status(co) == "dead")
local ok, e = coroutine.resume(co)
assert(not ok and e == "cannot resume dead coroutine")
---
-- across pcall, sort, gsub and metamethods
local log = {}
local co = coroutine.wrap(function()
  pcall(function() coroutine.yield(1) end)
  table.sort({2, 1}, function(a, b) coroutine.yield(2) return a < b end)
  ;("x"):gsub("x", function() coroutine.yield(3) end)
  local t = setmetatable({}, {__index = function(t, k) return coroutine.yield(4) end})
  return t.x
end)
for i = 1, 4 do assert(co() == i) end
assert(co("end") == "end")
---
-- errors come out of resume, also with values that are not strings
local co = coroutine.create(function() error({code = 1}) end)
local ok, e = coroutine.resume(co)
assert(not ok and e.code == 1)
local co = coroutine.wrap(function() error("inside") end)
ok, e = pcall(co)
assert(e == "test:5: inside", e)
assert(not pcall(co))
---
-- running, isyieldable, status
local main, is_main = coroutine.running()
assert(is_main and coroutine.status(main) == "running" and not coroutine.isyieldable())
local co
co = coroutine.create(function()
  assert(coroutine.running() == co and coroutine.isyieldable() and coroutine.status(co) == "running")
  local inner = coroutine.create(function() return coroutine.status(co) end)
  assert(select(2, coroutine.resume(inner)) == "normal")
  return coroutine.resume(co)
end)
local ok, again, why = coroutine.resume(co)
assert(ok and again == false and why == "cannot resume non-suspended coroutine")
---
-- abandoned ones are collected: many more than the limit, one after another
for i = 1, 3000 do
  local co = coroutine.wrap(function() coroutine.yield(i) end)
  assert(co() == i)
end
---
-- actions work inside
local co = coroutine.wrap(function() coroutine.yield(test.echo{a = 1}.a) end)
assert(co() == 1)
---
coroutine.yield(1) -- ### "attempt to yield from outside a coroutine"
