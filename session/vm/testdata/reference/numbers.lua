-- string.format
local function p(...) print(...) end
local function try(...) local r = {pcall(...)} if r[1] then p(table.unpack(r)) else p("ERR", (tostring(r[2]):gsub("^[^:]*:%d+: ", ""):gsub("to '[%w_]+%.", "to '"))) end end
for _, f in ipairs{"%d","%5d","%-5d|","%05d","%+d","% d","%x","%X","%#x","%o","%#o","%u","%i","%c","%e","%E","%.3e","%f","%.0f","%.10f","%g","%G","%.3g","%#g","%a","%10.3f","%-10.3f|","%+.2f","%010.2f","%s","%10s","%-10s|","%.2s"} do
  for _, v in ipairs{0, 1, -1, 42, 255, 65, 3.7, -3.7, 1e10, 1e13, 123456789, 0.1, 1e-5, 1e100, 1/3} do
    try(function() return f .. " " .. tostring(v) .. " [" .. string.format(f, v) .. "]" end)
  end
end
for _, f in ipairs{"%f","%g","%e","%s","%d","%5.1f","%x","%+g","%05g"} do
  for _, v in ipairs{1/0, -1/0} do try(string.format, f, v) end
end
try(string.format, "%5s|%-5s|%.1s|%5.1s", "abc", "abc", "abc", "abc")
try(string.format, "%s %s %s", nil, true, false)
try(string.format, "%q", "a\nb\0c\"d\\e\r\t\1272\200")
try(string.format, "%d", "10")
try(string.format, "%d", "x")
try(string.format, "%s")
try(string.format, "%y", 1)
try(string.format, "%10")
try(string.format, "%%")
try(string.format, "%c%c%c", 72, 105, 0)
try(string.format, "%.20s", ("x"):rep(30))
try(string.format, "%99d", 1)
try(string.format, "%100d", 1)
try(string.format, "%.99f", 1)
try(string.format, "%-+ #0d", 5)
try(string.format, "%s", setmetatable({}, {__tostring = function() return "T!" end}))
try(string.format, {})
-- tostring/tonumber
for _, v in ipairs{0, -0.0, 1, -1, 0.1, 1e13, 123456789012, 1e100, 1e-10, 2^31, 2^46, 3.14159265358979, 100, 1e2, 12345.678, 5e-324, 1.7976931348623157e308, 1/0, -1/0, 1e21, 99999999999999} do p(tostring(v), v .. "", -v) end
for _, s in ipairs{"10", " 10 ", "10.5", "1e5", "1E+5", "0x10", "0xA.8", "0x1p4", "0xp1", ".5", "5.", ".", "", " ", "abc", "10abc", "1 0", "0x", "1e", "--1", "-1", "- 1", "+1", "+-1", "0b1", "1_0", "inf", "nan", "\t5\n", "0x-1", "-0x10", "1e1000", "00012", "1e+", "5 .", "\0", "1\0", "0x1.", "0x.1", "0xg", "1..2"} do p(s, tonumber(s)) end
for _, a in ipairs{{"10", 2}, {"zz", 36}, {"ZZ", 36}, {"8", 8}, {"7", 8}, {"-ff", 16}, {" ff ", 16}, {"ff g", 16}, {"", 10}, {"1.0", 10}, {"1e1", 10}, {"+5", 10}, {"- 5", 10}, {"9", 10}, {"7fffffff", 16}, {"z", 35}, {"10", 37}, {"10", 1}, {10, 16}, {"1\0", 10}} do try(tonumber, a[1], a[2]) end
try(tonumber) try(tonumber, {}) try(tonumber, nil) try(tonumber, true) try(tonumber, {}, 10) try(tonumber, nil, 10)
p("10" + 5, "3" * "4", 10 .. 20, "0x10" + 0, " 5 " * 2, 2^10, 7 % 3, -7 % 3, 7 % -3, -7 % -3, 5.5 % 2, -5.5 % 2, 7 / 2, 1 / 0, -1 / 0)
p(0 % 5, 1e15 % 7, 2^53 % 3)
p(0.1 + 0.2, 1e300 * 1e10, -1e300 * 1e10, 3 - 3, -(0))
p(1 < 2, "a" < "b", "a" < "B", "" < "a", "a\0b" < "a\0c", "10" < "9", 1 == "1", "abc" == "abc", nil == false)
p(#"abc", #"", #"a\0b", #{1, 2, 3}, #{n = 1})
p(not nil, not 0, not "", nil and 1, false or "x", 1 and 2, nil or false, false and nil)
p(2^0.5, 2^-1, (-2)^2, -2^2, 2^3^2, 1e308 * 10 == 1/0)
