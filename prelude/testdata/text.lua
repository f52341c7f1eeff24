assert(repr(split("a,b,,c", ",")) == '{ "a", "b", "", "c" }' and repr(split(" one  two ")) == '{ "one", "two" }')
assert(join({1, "a", true}) == "1, a, true" and join({}, "-") == "" and trim("  x y ") == "x y")
assert(starts_with("abc", "ab") and not starts_with("a", "ab") and ends_with("abc", "bc") and ends_with("abc", ""))
assert(contains("a.b", ".") and not contains("ab", ".") and contains({1, 2}, 2))
assert(replace("a.b.c", ".", "%1") == "a%1b%1c" and replace("aaa", "", "x") == "aaa")
assert(repr(lines("a\r\nb\n")) == '{ "a", "b" }' and #lines("") == 0 and pad("ab", 4) == "ab  " and pad(5, -3) == "  5")
---
split(5, ",") -- ### "split: want a string, got number"
---
-- repr reads back
assert(repr({a = {1, 2}, b = "x", ["c d"] = 1.5, [10] = true}) == '{ [10] = true, a = { 1, 2 }, b = "x", ["c d"] = 1.5 }')
assert(repr("a\27[31m\0001\255é") == '"a\\27[31m\\0001\\xffé"' and repr(1/0) == "math.huge" and repr(0.1) == "0.1")
local t = {}
t.t = t
assert(repr(t) == "{ t = <cycle> }" and repr(print) == "<function>" and repr(null) == "null" and repr(nil) == "nil")
---
-- json
assert(json.encode({a = {1, 2}, b = {}, c = json.array()}) == '{"a":[1,2],"b":{},"c":[]}')
assert(json.encode("<é\n>") == '"<é\\n>"' and json.encode(null) == "null" and json.encode(nil) == "null")
local d = json.decode('{"a": [], "b": {}, "c": null, "n": 12345678901234567, "f": 1e3}')
assert(json.encode(d) == '{"a":[],"b":{},"c":null,"f":1000,"n":12345678901234567}')
assert(json.encode({1}, {indent = true}) == "[\n  1\n]" and json.decode("null") == null)
---
json.decode("[1, 2") -- ### "json.decode: line 1 column 6: unexpected end of text"
---
json.decode("{}\n x") -- ### "json.decode: line 2 column"
---
json.encode({f = print}) -- ### "json.encode: value.f: a function has no JSON form"
---
json.encode(0/0) -- ### "json.encode: .* has no JSON form"
