assert(repr(map({1, 2}, function(x) return x * 2 end)) == "{ 2, 4 }")
assert(repr(map({a = 1}, function(v, k) return k .. v end)) == '{ a = "a1" }')
assert(repr(map({{id = 1}, {id = 2}}, "id")) == "{ 1, 2 }" and json.encode(map({}, "id")) == "[]")
assert(repr(filter({1, 2, 3, 4}, function(x) return x % 2 == 0 end)) == "{ 2, 4 }")
assert(repr(filter({a = 1, b = 2}, function(v) return v > 1 end)) == "{ b = 2 }")
assert(repr(filter({{open = true, n = 1}, {n = 2}}, "open")) == "{ { n = 1, open = true } }")
assert(repr(reject({1, 2, 3}, function(x) return x == 2 end)) == "{ 1, 3 }")
assert(reduce({1, 2, 3}, function(a, x) return a + x end, 10) == 16 and reduce({1, 2, 3}, math.max) == 3)
assert(repr(keys({b = 1, a = 2})) == '{ "a", "b" }' and repr(values({b = 1, a = 2})) == "{ 2, 1 }")
assert(find({1, 5, 9}, function(x) return x > 3 end) == 5 and find({}, function() end) == nil)
assert(any({false, 1}) and not any({}) and all({1, 2}) and not all({1, false}) and count({1, 2, 3}) == 3)
assert(sum({1, 2, 3}) == 6 and sum({{n = 1}, {n = null}, {n = 2}}, "n") == 3 and sum({}) == 0)
local rows = {{n = 2, k = "a"}, {n = 1, k = "b"}, {n = 2, k = "c"}, {k = "d"}}
assert(repr(map(sort_by(rows, "n"), "k")) == '{ "b", "a", "c", "d" }')
assert(repr(map(sort_by(rows, "n", true), "k")) == '{ "d", "a", "c", "b" }')
local mixed = {"b", null, 2, true, "a", 10, json.decode("9007199254740993"), 0 / 0}
assert(repr(sort_by(mixed)) == '{ true, 2, 10, 9007199254740993, 0/0, "a", "b", null }', repr(sort_by(mixed)))
assert(max_by(rows, "n").k == "a" and min_by(rows, "n").k == "b" and max_by({}, "n") == nil)
assert(repr(map(group_by({{s = "x", v = 1}, {s = "y", v = 2}, {s = "x", v = 3}}, "s"), function(g) return map(g, "v") end))
  == "{ x = { 1, 3 }, y = { 2 } }")
assert(index_by({{id = 70000, v = 1}}, "id")[70000].v == 1 and repr(count_by({"a", "b", "a"})) == "{ a = 2, b = 1 }")
assert(repr(zip({1, 2}, {3, 4})) == "{ { 1, 3 }, { 2, 4 } }" and repr(flatten({{1, 2}, 3, {{4}}})) == "{ 1, 2, 3, { 4 } }")
assert(repr(uniq({1, 1, 2, 1})) == "{ 1, 2 }" and repr(slice({1, 2, 3, 4}, 2, -2)) == "{ 2, 3 }" and repr(take({1, 2}, 5)) == "{ 1, 2 }")
assert(repr(range(3)) == "{ 1, 2, 3 }" and repr(range(2, 6, 2)) == "{ 2, 4, 6 }" and #range(0) == 0)
assert(repr(pick({a = 1, b = 2}, "a")) == "{ a = 1 }" and repr(omit({{a = 1, b = 2}}, {"a"})) == "{ { b = 2 } }")
assert(repr(merge({a = 1}, {a = 2, b = 3})) == "{ a = 2, b = 3 }" and equal({1, {2}}, {1, {2}}) and not equal({1}, {1, 2}))
assert(matches("order 17", "^order [0-9]+$") and not matches("x", "^y") and not pcall(matches, "x", "("))
assert(repr(jsonpath({pets = {{id = 1, free = true}, {id = 2, free = false}}}, "$.pets[?@.free == true].id")) == "{ 1 }")
assert(#jsonpath({a = 5}, "$[?@ > 4]") == 1 and #jsonpath({}, "$.x") == 0 and not pcall(jsonpath, {}, "x"))
local original = {a = {1}}
local copied = copy(original)
copied.a[1] = 2
assert(original.a[1] == 1 and try(error, "x") == nil and try(function() return 5 end) == 5)
-- many integer keys cost the same each
local ids = map(range(20000), function(i) return {id = i * 1000003} end)
assert(index_by(ids, "id")[1000003].id == 1000003)
-- a list of many strings takes no table an item
local many = map(range(20000), function(i) return ("%05d"):format(i * 7919 % 20011):rep(30) end)
local sorted = sort_by(many, function(s) return s end)
assert(#sorted == 20000 and sorted[1] < sorted[2] and sorted[19999] < sorted[20000])
---
sort_by(nil, "x") -- ### "sort_by: the first argument must be a table, got nil"
---
map({1}, 5) -- ### "map: want a function or a field name, got number"
---
map({1}, "id") -- ### "map: cannot take field 'id' of a number"
---
-- a shadowed name comes back when it is set to nil; the prelude itself is not disturbed
map = 1
type, pairs, ipairs, next = nil, 1, 2, 3
assert(repr(uniq({1, 1})) == "{ 1 }" and sum({1, 2}) == 3)
map = nil
assert(map({1}, function(x) return x end)[1] == 1)
