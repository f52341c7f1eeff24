-- null
assert(type(null) == "null" and tostring(null) == "null" and null == json.null and null ~= nil and null ~= false)
assert(not null and (null or 5) == 5 and (null and 1) == null)
local t = {null, a = null}
assert(#t == 1 and t.a == null and next({a = null}) == "a" and repr(t) == "{ null, a = null }")
assert(json.encode({a = null}) == '{"a":null}' and json.decode('[null]')[1] == null and json.decode("null") == null)
local big = test.big()
assert(big.none == null and test.echo({a = null}).a == null)
assert(rawequal(null, null) and ({[null] = 1})[null] == 1)
assert(test.nothing() == nil and select("#", test.nothing()) == 1)
---
print(null + 1) -- ### "attempt to perform arithmetic on a null value \\(global 'null'\\)"
---
print("x" .. null) -- ### "attempt to concatenate a null value"
---
null() -- ### "attempt to call a null value"
---
-- an empty list stays a list, an empty object an object
local big = test.big()
assert(json.encode(big.list) == "[]" and json.encode(big.map) == "{}" and json.encode({}) == "{}")
assert(json.encode({a = json.array(), b = {}}) == '{"a":[],"b":{}}')
assert(json.encode(test.echo({a = big.list, b = big.map})) == '{"a":[],"b":{}}')
assert(json.encode(json.decode('{"a":[],"b":{}}')) == '{"a":[],"b":{}}')
local list = json.array()
list[1] = "x"
assert(json.encode(list) == '["x"]' and getmetatable(list) == nil and #json.decode("[]") == 0)
local l2 = json.decode("[]")
table.insert(l2, 1)
assert(json.encode(l2) == "[1]" and json.encode({1, 2}) == "[1,2]")
---
-- UTF-8 and arbitrary bytes
local s = "über 日本 €\u{1F600}"
assert(#s == 20 and test.echo({s = s}).s == s and json.decode(json.encode(s)) == s)
local all = {}
for i = 0, 255 do all[#all + 1] = string.char(i) end
local bytes = table.concat(all)
assert(#bytes == 256 and test.value({value = bytes}) == bytes and bytes:byte(256) == 255 and bytes:upper():lower() ~= nil)
assert(#bytes:reverse() == 256 and bytes:reverse():reverse() == bytes and bytes:find("\255", 1, true) == 256)
assert(bytes:gsub(".", "%0") == bytes and ("a\0b"):rep(2) == "a\0ba\0b" and ("\xff\xfe"):lower() == "\xff\xfe")
assert(repr("\xff\0001\27[2J") == [["\xff\0001\27[2J"]], repr("\xff\0001\27[2J"))
local t = {["\xff key"] = 1}
assert(test.echo(t)["\xff key"] == 1)
---
-- JSON is UTF-8: other bytes are refused, not replaced
assert(json.decode(json.encode{"\0\127 \u{10FFFF} \u{FFFD}"})[1] == "\0\127 \u{10FFFF} \u{FFFD}")
---
json.encode{a = {"ok", "x\255"}} -- ### "json.encode: value.a\\[2\\]: a string that is not UTF-8 \\(byte 2 is .255\\) has no JSON form; write its bytes as text first"
---
json.encode{["\128"] = 1} -- ### "json.encode: value: a string that is not UTF-8 \\(byte 1 is .128\\)"
---
json.encode("\xED\xA0\x80") -- ### "json.encode: value: a string that is not UTF-8"
---
json.decode('["a", "\255"]') -- ### "json.decode: line 1 column 8: the text is not UTF-8 \\(byte .255\\)"
---
-- cyclic values: readable on the way out, refused on the way to an action
local t = {name = "t"}
t.self = t
t.list = {t, {t}}
assert(repr(t):find("<cycle>", 1, true) and tostring(t):find("^table: "))
local ok, e = pcall(test.echo, t)
assert(not ok and tostring(e):find("a table that contains itself cannot be sent"), tostring(e))
ok, e = pcall(json.encode, t)
assert(not ok and e:find("contains itself has no JSON form"), e)
local shared = {1}
assert(json.encode({shared, shared}) == "[[1],[1]]")
---
local t = {} t.deep = {t = t} test.echo{a = {t}} -- ### "argument a\\[1\\].deep.t: a table that contains itself cannot be sent"
---
test.echo{a = {1, nil, 3}} -- ### "argument a: a list with gaps cannot be sent \\(2 of 3 items are there\\)"
---
test.echo{a = {1, x = 2}} -- ### "argument a: a table with both list items and named fields cannot be sent"
---
test.echo{f = function() end} -- ### "argument f: a function cannot be sent"
---
test.echo{c = coroutine.create(print)} -- ### "argument c: a thread cannot be sent"
---
test.echo{a = test.echo} -- ### "argument a: an action cannot be sent"
---
test.echo{a = 0/0} -- ### "argument a: nan cannot be sent"
