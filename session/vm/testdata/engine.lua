-- what the engine itself gets wrong
local function mk(x) return function() return function() x = x + 1 return x end end end
local a, b = mk(1), mk(1)
local f, g = a(), b()
assert(f ~= g and f() == 2 and g() == 2)
local T = setmetatable({}, {__index = function(_, k) return k end})
local t = {"a " .. T.A .. " a", "b " .. T.B .. " b"}
assert(t[1] == "a A a" and t[2] == "b B b")
local m = -1
assert(m % 3 == 2 and 5 % -3 == -1 and -m % 3 == 1 and 5.5 % 2 == 1.5)
local fs = {}
for i = 1, 3 do fs[i] = function() i = i + 1 return i end end
assert(fs[1]() == 2 and fs[1]() == 3 and fs[2]() == 3 and fs[3]() == 4)
assert(1 .. 2 == "12" and ("x" .. 1.5) == "x1.5" and 2^53 .. "" == "9007199254740992")
local c = setmetatable({}, {__concat = function(a, b) return (type(a) == "table" and "T" or a) .. (type(b) == "table" and "T" or b) end})
assert("a" .. c .. "b" == "aTb" and c .. 1 == "T1")
---
-- operators of 5.3, on 64-bit integers
assert(7 // 2 == 3 and -7 // 2 == -4 and 7.5 // 2 == 3 and 5 & 3 == 1 and 5 | 3 == 7 and 5 ~ 3 == 6 and ~0 == -1)
assert(1 << 4 == 16 and 256 >> 4 == 16 and 1 << 63 == math.tointeger(-9223372036854775807 - 1) and 1 << 64 == 0)
assert(tostring(9007199254740993) == "9007199254740993" and 9007199254740993 + 2 == 9007199254740995)
assert(9007199254740993 // 2 == 4503599627370496 and 0xffffffffffffffff == -1)
---
return 1.5 & 1 -- ### "number has no integer representation"
---
return 9223372036854775807 + 1 -- ### "integer overflow: 9223372036854775808 does not fit 64 bits"
---
return 9007199254740993 + 0.5 -- ### "would lose digits"
---
return 9007199254740993 < "x" -- ### "attempt to compare number with string"
---
return nothing .. "x" -- ### "attempt to concatenate a nil value \\(global 'nothing'\\)"
---
return 5 % nothing -- ### "attempt to perform arithmetic on a nil value \\(global 'nothing'\\)"
---
x = __host_concat -- ### "reserved name"
---
-- A number, or an operator that becomes a call, before a parenthesis on the next line is not called.
local called = 0
local function id(...) called = called + 1 return ... end
local a = 1 .. 2
(id)("x")
local b = 7 % 4
;(id)("y")
local c = a == "12" and ~5
(id)("z")
assert(a == "12" and b == 3 and c == -6 and called == 3)
-- Only the last operand may give several values, and none does.
local function two() return 1, 2 end
local function operands(a, b, ...) return select("#", a, b, ...) end
assert(two() % two() == 0 and two() .. two() == "11" and operands(two() .. two(), two() // two()) == 2)
assert(2^-3 .. "y" == "0.125y" and -2^2 % 3 == 2 and 2^3^2 == 512)
