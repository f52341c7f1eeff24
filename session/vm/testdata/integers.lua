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
assert(math.floor(n) == n and math.abs(-n) == n and math.type(n) == "integer")
assert(n & 1 == 1 and n | 1 == n and n ~ n == 0 and n >> 1 == 4503599627370496 and 1 << 62 == 4611686018427387904)
assert(math.max(n, 1) == n and math.min(n, 9007199254740995) == n and math.tointeger(n) == n)
local sorted = {9007199254740995, 9007199254740993, 5, 9007199254740994}
table.sort(sorted)
assert(table.concat(sorted, " ") == "5 9007199254740993 9007199254740994 9007199254740995")
---
-- division and powers are exact or refused
local n = 9007199254740994
assert(n / 2 == 4503599627370497 and n / 4 == 2251799813685248.5 and n / n == 1 and n / -1 == -n and 0 / n == 0 and n / 1 == n)
assert(n / 0 == math.huge and -n / 0 == -math.huge and n / math.huge == 0 and math.huge / n == math.huge)
assert(4611686018427387904 / 1024 == 4503599627370496 and 4611686018427387904 / 2 == 2305843009213693952)
assert(n ^ 1 == n and n ^ 0 == 1 and 1 ^ n == 1 and 0 ^ n == 0 and (-1) ^ n == 1 and (-1) ^ (n + 1) == -1)
assert(3037000499 ^ 2 < 9223372037000250001 and n + math.huge == math.huge and n * -math.huge == -math.huge)
local nan = 0/0
assert(n + nan ~= n + nan and not (n < nan) and not (n > nan) and not (n <= nan) and n ~= nan)
assert(math.pow(n, 1) == n and math.fmod(n, 10) == 4 and math.fmod(-n, 10) == -4 and math.modf(n) == n and select(2, math.modf(n)) == 0)
assert(math.floor("9007199254740993") == 9007199254740993 and math.max("9007199254740993", 1) == 9007199254740993)
assert(tonumber(n .. ".0") == 2^53 + 2 and tonumber(n .. ".0") / 3 == (2^53 + 2) / 3)
---
print(9007199254740993 / 2) -- ### "9007199254740993 / 2 would lose digits: use // for the whole part"
---
print(1 / 9007199254740993) -- ### "1 / 9007199254740993 would lose digits"
---
print(9007199254740993 ^ 2) -- ### "integer overflow: 81129638414606699710187514626049 does not fit 64 bits"
---
print(9007199254740993 ^ 0.5) -- ### "9007199254740993 \\^ 0.5 would lose digits"
---
print(math.sqrt(9007199254740993)) -- ### "bad argument #1 to 'sqrt' \\(an integer beyond 2\\^53 would lose digits here: tonumber\\(n .. '.0'\\) gives up digits\\)"
---
os.time{year = 9007199254740993, month = 1, day = 1} -- ### "field 'year' is out of range in date table"
---
print(bit32.band(9007199254740993, 1)) -- ### "bit32 takes no integer beyond 2\\^53: the operators & \\| ~ << >> do"
---
-- text of integers is exact
assert("9007199254740993" + 0 == 9007199254740993 and "9007199254740993" + 1 == 9007199254740994)
assert("9007199254740993" * 1 == 9007199254740993 and 1 * "9007199254740993" == 9007199254740993)
assert("9007199254740995" - "9007199254740993" == 2 and "9007199254740993" // 1 == 9007199254740993 and "9007199254740993" % 10 == 3)
local s = "9007199254740993"
assert(s + 0 == 9007199254740993 and 0 + s == 9007199254740993 and s - 0 == 9007199254740993 and s * 1 == 9007199254740993)
assert(tonumber("0x20000000000001") == 9007199254740993 and tonumber("-0x20000000000001") == -9007199254740993)
assert(tonumber("20000000000001", 16) == 9007199254740993 and tonumber("0xffffffffffffffff") == 0xffffffffffffffff)
assert(tonumber("ffffffffffffffff", 16) == -1 and tonumber("0x1p60") == 2^60 and tonumber("0x10") == 16 and "0x10" + 0 == 16)
assert(tonumber("18446744073709551616") == 2^64 and tonumber("9007199254740993.0") == 2^53 and "10" + 5 == 15 and "0x20000000000001" + 0 == 9007199254740993)
local v = setmetatable({}, {__add = function(a, b) return type(a) .. type(b) end, __mul = function() return "mul" end, __sub = function() return "sub" end})
assert(v + 0 == "tablenumber" and 0 + v == "numbertable" and v * 1 == "mul" and v - 0 == "sub" and 1.5 + 0 == 1.5)
---
local t = {}
print(t.x + 0) -- ### "attempt to perform arithmetic on a nil value \\(field 'x'\\)"
---
-- equality with floats, where one side is written out
assert(2^53 + 2 == 9007199254740994 and 1e16 == 10000000000000000 and 10000000000000000 ~= 1e16 + 2)
local big = json.decode("10000000000000000")
assert(big == 1e16 and not (big ~= 1e16) and big ~= 1e17 and (big == "10000000000000000") == false and big ~= nil)
---
-- loops
local function list(a, b, c)
  local t = {}
  for i = a, b, c or 1 do t[#t + 1] = tostring(i) end
  return table.concat(t, " ")
end
local big = 9007199254740993
assert(list(big, big + 3) == "9007199254740993 9007199254740994 9007199254740995 9007199254740996")
assert(list(big, big - 3, -1) == "9007199254740993 9007199254740992 9007199254740991 9007199254740990")
assert(list(big - 3, big) == "9007199254740990 9007199254740991 9007199254740992 9007199254740993")
assert(list(big, big + 10, 5) == "9007199254740993 9007199254740998 9007199254741003" and list(big, 5) == "" and list(big, big) == tostring(big))
assert(list(-big, -big + 1) == "-9007199254740993 -9007199254740992")
---
local n = 0
for i = 9223372036854775806, math.huge do -- ### "integer overflow: 9223372036854775808 does not fit 64 bits"
  n = n + 1
  assert(n <= 2)
end
---
local functions = {}
for i = 9007199254740993, 9007199254740996 do
  if i == 9007199254740995 then goto continue end
  functions[#functions + 1] = function() i = i + 1 return i end
  if i > 9007199254740995 then break end
  ::continue::
end
assert(#functions == 3 and functions[1]() == 9007199254740994 and functions[1]() == 9007199254740995 and functions[2]() == 9007199254740995)
local from, to = "2", 4
for i = from, to do assert(i == 2 or i == 3 or i == 4) from = i end
assert(from == 4)
for i = 1, 9007199254740993 do if i == 3 then break end end
---
local last = 9007199254740993
for i = 1, last do break end -- ### "'for' limit is 9007199254740993: a loop from a plain number cannot count beyond 2\\^53"
---
for i = 9007199254740993, 9007199254740999, 0.5 do end -- ### "needs a whole start and step"
---
local t = {}
for i = t.first, 3 do end -- ### "'for' initial value must be a number, got nil \\(field 'first'\\)"
---
-- formats
local n = 9007199254740993
assert(("%.0f %f %.1f"):format(n, n, -n) == "9007199254740993 9007199254740993.000000 -9007199254740993.0")
assert(("%+.0f|% .0f|%20.0f|%-20.0f|%020.0f"):format(n, n, n, n, n) == "+9007199254740993| 9007199254740993|    9007199254740993|9007199254740993    |00009007199254740993")
assert(("%g %.3e %i %s"):format(n, n, n, n) == "9.0072e+15 9.007e+15 9007199254740993 9007199254740993")
assert(("%q"):format(n) == "9007199254740993" and ("%q"):format(-9223372036854775807 - 1) == "0x8000000000000000")
assert(("%x %o"):format(n, n) == "20000000000001 400000000000000001" and #("%5.1f"):format(n) == 18)
---
print(9007199254740993 + 0.5) -- ### "would lose digits: round the fraction"
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
