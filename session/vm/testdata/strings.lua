-- patterns
assert(("hello world"):find("wor") == 7 and ("a.b"):find(".", 1, true) == 2 and ("abc"):find("b", -1) == nil)
assert(("key = value"):match("^(%w+)%s*=%s*(%w+)$") == "key")
local k, v = ("key = value"):match("^(%w+)%s*=%s*(%w+)$")
assert(k == "key" and v == "value")
assert(("THE (quick) fox"):find("%((%a+)%)") == 5)
assert(("f(a(b)c)d"):match("%b()") == "(a(b)c)")
assert(("THE (quick) fox"):gsub("%f[%a]%a+", "X") == "X (X) X")
assert(("hello"):match("()ll()") == 3 and select(2, ("hello"):match("()ll()")) == 5)
assert(("abc"):gsub("", "-") == "-a-b-c-" and ("abc"):gsub("%w", "%0%0") == "aabbcc")
assert(("hello world"):gsub("o", {o = "0"}) == "hell0 w0rld" and ("abc"):gsub("b", function() return false end) == "abc")
assert(select(2, ("aaa"):gsub("a", "b", 2)) == 2)
local words = {}
for w in ("one two  three"):gmatch("%a+") do words[#words + 1] = w end
assert(table.concat(words, ",") == "one,two,three")
assert(("x=1, y=2"):gsub("(%w+)=(%w+)", "%2=%1") == "1=x, 2=y")
assert(("[[x]]"):match("[]]") == "]" and ("a-z"):match("[a%-]+") == "a-" and ("^"):match("[%^x]") == "^")
assert(("aab"):match("(a)%1") == "a" and ("\0a"):match("%z") == "\0" and ("abc"):match(".-") == "")
assert(("  trim  "):match("^%s*(.-)%s*$") == "trim" and ("a\nb"):match("a.b") == "a\nb")
assert(("alo"):find("") == 1 and ("alo"):find("", 10) == nil and ("alo"):find("", 4) == 4)
assert(("0123456789"):match("^%d+$") and not ("x"):match("%d") and ("ab"):match("^(b)") == nil)
---
("x"):find("[a") -- ### "malformed pattern \\(missing '\\]'\\)"
---
("x"):find("%") -- ### "malformed pattern \\(ends with '%'\\)"
---
("x"):find("(x") -- ### "unfinished capture"
---
("x"):match("x)") -- ### "invalid pattern capture"
---
("x"):gsub("x", "%2") -- ### "invalid capture index %2"
---
("x"):rep(300000):match(("(x"):rep(40)) -- ### "too many captures"
---
-- bytes, not characters
assert(("\255"):lower() == "\255" and ("ÄB"):lower() == "Äb" and ("abc"):reverse() == "cba" and #"é" == 2)
assert(("abc"):sub(-2) == "bc" and ("abc"):sub(0) == "abc" and ("abc"):sub(2, 1) == "" and ("abc"):sub(-10, 2) == "ab")
assert(("abc"):byte(-1) == 99 and select("#", ("abc"):byte(1, -1)) == 3 and string.char(104, 105) == "hi")
assert(("ab"):rep(3, "-") == "ab-ab-ab" and ("x"):rep(0) == "" and ("x"):rep(-1) == "")
---
-- format
assert(string.format("%d %5d|%-5d|%05d|%+d", 3, 42, 42, 42, 42) == "3    42|42   |00042|+42")
assert(string.format("%x %X %o %#x %#o", 255, 255, 8, 255, 8) == "ff FF 10 0xff 010")
assert(string.format("%.2f %e %g %g %g", 1/3, 12345.678, 0.1, 1e20, 100000) == "0.33 1.234568e+04 0.1 1e+20 100000")
assert(string.format("%s %s %s", 1, nil, true) == "1 nil true" and string.format("%10s|%-10s|%.2s", "ab", "ab", "abc") == "        ab|ab        |ab")
assert(string.format("%q", 'a "b"\n\0c') == '"a \\"b\\"\\\n\\0c"' and string.format("%c%c", 72, 105) == "Hi")
assert(string.format("%5s|%5.1f", "é", 2.25) == "   é|  2.2" and string.format("%%") == "%")
assert(string.format("%g %f", 1/0, -1/0) == "inf -inf" and string.format("%a", 1) == "0x1p+0")
assert(string.format("%i", 3.0) == "3" and string.format("%d", "10") == "10" and string.format("%.3d", 5) == "005")
---
string.format("%d", 1 / 0) -- ### "bad argument #2 to 'format' \\(not a number in proper range\\)"
---
string.format("%y", 1) -- ### "invalid option '%y' to 'format'"
---
string.format("%d") -- ### "bad argument #2 to 'format' \\(no value\\)"
---
string.rep() -- ### "bad argument #1 to 'rep' \\(string expected, got no value\\)"
