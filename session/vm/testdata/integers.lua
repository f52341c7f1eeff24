-- integers beyond 2^53 are exact: text, equality, order, table keys
local n = 9007199254740993
assert(tostring(n) == "9007199254740993" and n .. "" == "9007199254740993" and type(n) == "number")
assert(n == 9007199254740993 and n ~= 9007199254740992 and n ~= 9007199254740994 and n > 9007199254740992)
assert(n < 9007199254740995 and n <= n and not (n < n) and math.max(1, 2) == 2)
assert(tonumber("9007199254740993") == n and tonumber("-9223372036854775808") < 0)
assert(9223372036854775807 > n and -9223372036854775807 < -n)
local t = {[n] = "exact", [9007199254740992] = "float"}
assert(t[9007199254740993] == "exact" and t[9007199254740992] == "float" and t[n + 0] == "exact")
assert(string.format("%d %s %20d|", n, n, n) == "9007199254740993 9007199254740993     9007199254740993|")
assert(string.format("%x", 0x7fffffffffffffff) == "7fffffffffffffff" and ("%d"):format("9007199254740993") == "9007199254740993")
assert(repr(n) == "9007199254740993" and repr({id = n}) == "{ id = 9007199254740993 }")
assert(table.concat({n, 1}, ",") == "9007199254740993,1" and (n .. "x"):len() == 17)
---
-- arithmetic that stays exact
local n = 9007199254740993
assert(n + 1 == 9007199254740994 and n - 1 == 9007199254740992 and n * 2 == 18014398509481986 and -n + n == 0)
assert(n % 10 == 3 and n // 10 == 900719925474099 and -n % 10 == 7 and n - n == 0 and n + 0 == n)
assert(n + "1" == 9007199254740994 and "1" + n == 9007199254740994 and 1 + n == n + 1)
assert(n / 2 == 4503599627370496 and math.floor(n) == n and math.abs(-n) == n and math.type(n) == "integer")
assert(n & 1 == 1 and n | 1 == n and n ~ n == 0 and n >> 1 == 4503599627370496 and 1 << 62 == 4611686018427387904)
assert(math.max(n, 1) == n and math.min(n, 9007199254740995) == n and math.tointeger(n) == n)
local sorted = {9007199254740995, 9007199254740993, 5, 9007199254740994}
table.sort(sorted)
assert(table.concat(sorted, " ") == "5 9007199254740993 9007199254740994 9007199254740995")
---
print(9007199254740993 + 0.5) -- ### "would lose digits"
---
print(9223372036854775807 + 1) -- ### "integer overflow"
---
print(9223372036854775807 * 9223372036854775807) -- ### "integer overflow"
---
print(9007199254740993 < "x") -- ### "attempt to compare number with string"
---
print(9007199254740993 + {}) -- ### "attempt to perform arithmetic on a table value"
---
print(nothing + 9007199254740993) -- ### "attempt to perform arithmetic on a nil value \\(global 'nothing'\\)"
---
print(9007199254740993 // nothing) -- ### "attempt to perform arithmetic on a nil value \\(global 'nothing'\\)"
---
print(("x"):rep(9007199254740993)) -- ### "an integer beyond 2\\^53 would lose digits here"
---
print((9007199254740993).x) -- ### "attempt to index a number value"
---
(9007199254740993)() -- ### "attempt to call a number value"
---
print(#9007199254740993) -- ### "attempt to get length of a number value"
---
-- in results, in arguments, in json
local big = test.big()
assert(big.id == 9007199254740993 and test.echo({id = big.id}).id == big.id and test.value({value = big.id}) == big.id)
assert(json.encode({id = big.id}) == '{"id":9007199254740993}' and json.decode('{"id":9007199254740993}').id == big.id)
assert(json.decode("9223372036854775807") == 9223372036854775807 and json.decode("-9007199254740993") == -9007199254740993)
assert(json.encode(json.decode("[9007199254740993,9007199254740992,1]")) == "[9007199254740993,9007199254740992,1]")
assert(json.decode("1e3") == 1000 and json.decode("18446744073709551616") == 2^64)
local seen = {}
for k in pairs({[9007199254740995] = 1, [9007199254740993] = 1, a = 1}) do seen[#seen + 1] = tostring(k) end
assert(#seen == 3)
---
-- a sum of two plain numbers is a plain number and rounds, as in Lua 5.2
assert(9007199254740992 + 1 == 9007199254740992)
