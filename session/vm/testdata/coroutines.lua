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
---
-- what a body does not catch ends it; what it catches does not
local co = coroutine.create(function()
  local ok, e = pcall(function() coroutine.yield("inside") error({code = 5}) end)
  coroutine.yield(e.code)
  error("out", 0)
end)
assert(select(2, coroutine.resume(co)) == "inside" and select(2, coroutine.resume(co)) == 5)
local ok, e = coroutine.resume(co)
assert(not ok and e == "out" and coroutine.status(co) == "dead")
---
-- many values, nil among them, in both directions
local co = coroutine.create(function(...)
  local n = select("#", ...)
  return n, select("#", coroutine.yield(nil, n, nil))
end)
assert(select("#", coroutine.resume(co, nil, nil, nil)) == 4)
assert(select(3, coroutine.resume(co, nil, nil)) == 2)
---
-- generators in loops, nested, in metamethods and iterators
local function gen(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
local sum = 0
for i in gen(4) do for j in gen(i) do sum = sum + j end end
assert(sum == 20)
local t = setmetatable({}, {__index = function(_, k) return coroutine.yield(k) end, __call = function(_, x) return coroutine.yield(x) end})
local co = coroutine.wrap(function() return t.a .. t(5) end)
assert(co() == "a" and co("x") == 5 and co("y") == "xy")
---
-- a host error inside one is caught there, with its fields
local co = coroutine.create(function()
  local ok, e = pcall(test.fails, {})
  coroutine.yield(e.code)
  return test.echo{a = coroutine.isyieldable()}.a
end)
assert(select(2, coroutine.resume(co)) == "not_found" and select(2, coroutine.resume(co)) == true)
---
-- one that resumes one that resumes one ... ends in an error that can be caught
local function deeper() local ok, e = coroutine.resume(coroutine.create(deeper)) return e end
assert(tostring(deeper()):find("C stack overflow"))
---
coroutine.wrap(function() test.denied{} end)() -- ### "denied: this session is read-only"
---
local co = coroutine.wrap(function()
  local row = nil
  return row.name -- ### "attempt to index a nil value \\(local 'row'\\)"
end)
co()
---
coroutine.resume(5) -- ### "bad argument #1 to 'resume' \\(coroutine expected, got number\\)"
---
coroutine.wrap(function() end)(coroutine.wrap(5)) -- ### "bad argument #1 to 'wrap' \\(function expected, got number\\)"
---
-- debug.traceback of a coroutine: where it waits, or where it failed
local function inner()
  coroutine.yield()
  error("inside")
end
local co = coroutine.create(function()
  inner()
end)
assert(debug.traceback(co) == "stack traceback:")
coroutine.resume(co)
assert(debug.traceback(co) == "stack traceback:\n\ttest:3: in function 'inner'\n\ttest:7: in function <test:6>", debug.traceback(co))
assert(debug.traceback(co, "text"):match("^text\nstack traceback:\n\ttest:3: "))
assert(not coroutine.resume(co))
assert(debug.traceback(co):match("^stack traceback:\n\ttest:4: in function 'inner'"), debug.traceback(co))
assert(debug.traceback((coroutine.running())):match("test:15: in main chunk"), debug.traceback((coroutine.running())))
---
-- a handler of xpcall cannot yield, as in stock Lua, but for a coroutine of its own; later tracebacks are right
local c = coroutine.wrap(function()
  return xpcall(function() error("z", 0) end, function(m)
    assert(not coroutine.isyieldable())
    coroutine.yield("inh")
    return m
  end)
end)
local ok, caught, message = pcall(c)
assert(ok and caught == false and message == "error in error handling", tostring(message))
assert(debug.traceback("m") == "m\nstack traceback:\n\ttest:11: in main chunk", debug.traceback("m"))
local inner = function(m) return coroutine.wrap(function() coroutine.yield(m .. "!") end)() end
assert(select(2, xpcall(error, inner, "z")) == "z!")
