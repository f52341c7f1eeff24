local t = {1, 2, 3}
table.insert(t, 4)
table.insert(t, 1, 0)
assert(table.concat(t, ",") == "0,1,2,3,4" and table.remove(t) == 4 and table.remove(t, 1) == 0 and #t == 3)
assert(table.remove({}) == nil and table.concat({}) == "" and table.concat({1, 2, 3}, "-", 2, 3) == "2-3")
table.sort(t, function(a, b) return a > b end)
assert(t[1] == 3 and t[3] == 1)
local words = {"b", "a", "c"}
table.sort(words)
assert(table.concat(words) == "abc")
local p = table.pack(1, nil, 3)
assert(p.n == 3 and p[3] == 3 and select("#", table.unpack(p, 1, p.n)) == 3 and unpack({7}) == 7)
local many = {}
for i = 1, 20000 do many[i] = (i * 7919) % 20011 end
table.sort(many)
for i = 2, #many do assert(many[i - 1] <= many[i]) end
local lied = setmetatable({1, 2}, {__len = function() return 1e15 end})
table.insert(lied, 3)
assert(rawlen(lied) == 3 and table.concat(lied, ",") == "1,2,3")
---
-- a comparator that makes no sense ends
local t = {}
for i = 1, 100 do t[i] = i % 10 end
table.sort(t, function() return true end) -- ### "invalid order function for sorting"
---
table.sort({1, "x"}) -- ### "attempt to compare (number with string|string with number)"
---
table.insert({1}, 5, 2) -- ### "bad argument #2 to 'insert' \\(position out of bounds\\)"
---
table.insert(nil, 1) -- ### "bad argument #1 to 'insert' \\(table expected, got nil\\)"
---
table.concat({1, {}, 3}) -- ### "invalid value \\(table\\) at index 2"
---
-- the order of a table that has been walked follows what is done to it
local function order(t) local out = {} for k in pairs(t) do out[#out + 1] = tostring(k) end return table.concat(out, " ") end
local t = {b = 1, d = 2}
assert(order(t) == "b d" and order(t) == "b d")
t.a = 0
assert(order(t) == "a b d")
t.b = nil
assert(order(t) == "a d")
t.b = 5
assert(order(t) == "a b d")
for i = 1, 20 do t["x" .. i] = i end
for i = 1, 20 do t["x" .. i] = nil end
assert(order(t) == "a b d" and next(t, "a") == "b" and next(t, "d") == nil)
local l = {}
l[3] = "c" l[7] = "g" l.x = 1
assert(order(l) == "3 7 x")
l[1] = "a" l[2] = "b"
assert(order(l) == "1 2 3 7 x")
for i = 4, 6 do l[i] = i end
assert(order(l) == "1 2 3 4 5 6 7 x")
l[1.5] = true
assert(order(l) == "1 2 3 4 5 6 1.5 7 x")
---
-- integer keys in any order: as other tables, and not slower
local t = {}
for i = 30000, 1, -1 do t[i] = i end
assert(#t == 30000 and t[1] == 1 and t[30000] == 30000 and getmetatable(t) == nil and next(t) == 1)
byid = {}
local function put(id) byid[id] = {id = id} end
for i = 1, 5000 do put(i * 1000003) end
assert(byid[1000003].id == 1000003 and #byid == 0 and rawget(byid, 5) == nil and getmetatable(byid) == nil)
byid.name, byid[0], byid[-1], byid[0.5], byid[true] = "x", "zero", "minus", "half", "yes"
assert(byid.name == "x" and byid[0] == "zero" and byid[-1] == "minus" and byid[0.5] == "half" and byid[true] == "yes")
byid[1000003], byid.name, byid.nothing = nil, nil, nil
assert(byid[1000003] == nil and byid.name == nil)
local n, last = 0, -math.huge
for k in pairs(byid) do
  n = n + 1
  if type(k) == "number" then assert(k > last) last = k end
end
assert(n == 5003)
for k in pairs(byid) do byid[k] = nil end
assert(next(byid) == nil)
for i = 1, 10 do byid[i] = i * 2 end
assert(#byid == 10 and table.concat(byid, " ") == "2 4 6 8 10 12 14 16 18 20" and table.remove(byid) == 20)
setmetatable(byid, {__newindex = function(t, k, v) rawset(t, k, v + 1) end, __index = function() return "none" end})
byid[500] = 1
assert(byid[500] == 2 and byid[501] == "none")
local shuffled = {}
for i = 1, 5003 do shuffled[(i * 1999) % 5003 + 1] = true end
assert(#shuffled == 5003)
---
local t = {}
for i = 5000, 1, -1 do t[i * 7] = i end
t[0/0] = 1 -- ### "table index is NaN"
---
-- next with a key that the table cannot have had is an error; cleared keys are none
for _, bad in ipairs{{{a = 1}, "zz"}, {{}, 1}, {{1, 2}, 3}, {{a = 1}, {}}} do
  local ok, e = pcall(next, bad[1], bad[2])
  assert(not ok and e:find("invalid key to 'next'"), e)
end
local t, u, n = {}, {}, 0
for i = 1, 100 do t["k" .. i], u["k" .. i] = i, i end
local k, k2
repeat
  k, k2 = next(t, k), next(u, k2)
  if k then t[k], u[k2], n = nil, nil, n + 1 end
until not k
assert(n == 100 and next(t) == nil and next(u) == nil)
