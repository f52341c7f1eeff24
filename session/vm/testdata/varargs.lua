-- A vararg function that ends in a call passes on what that gives, whatever it was given itself.
local function none() end
local function one() return 1 end
local function same(...) return ... end
local function first(a) return a end
local function wrap(f, ...) return f(...) end
local function give(f, ...) return f() end
assert(select("#", wrap(none, 1, 2, 3)) == 0 and select("#", give(none, 1, 2, 3)) == 0)
assert(select("#", give(one, 1, 2, 3)) == 1 and give(one, 1, 2, 3) == 1)
assert(select("#", give(one, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil)) == 1)
local a, b, c = wrap(same, 1, nil, 3)
assert(a == 1 and b == nil and c == 3 and select("#", wrap(same, nil, nil)) == 2)
assert(wrap(first, 4, 5, 6) == 4 and wrap(tostring, 7) == "7" and wrap(select, "#", 1, nil) == 2)
local o = {n = 2}
function o:get(...) return self:add(...) end
function o:add(a, b) return self.n + a + (b or 0), self end
local sum, self = o:get(1, 2, 3, 4, 5)
assert(sum == 5 and self == o)
local callable = setmetatable({}, {__call = function() return "called" end})
assert(wrap(callable, 1, 2, 3, 4, 5, 6) == "called")
local function nested(...)
  if select("#", ...) > 0 then
    return (function(...) return none(...) end)(...)
  end
  return (one(...))
end
assert(select("#", nested(1, 2, 3)) == 0 and nested() == 1)
assert(coroutine.wrap(function(...) return coroutine.yield(...) end)(1, 2) == 1)
---
-- Proper tail calls stay where there is no "...".
local function down(n) if n == 0 then return "done" end return down(n - 1) end
assert(down(300000) == "done")
---
local function wrap(f, ...)
  return f(...) -- ### "attempt to call a nil value \\(local 'f'\\)"
end
wrap(nil, 1, 2, 3)
