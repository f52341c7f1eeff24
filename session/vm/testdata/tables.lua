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
