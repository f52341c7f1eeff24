local function p(...) print(...) end
-- Lua 5.2 puts the library's name before a function's where no script called it by a name
local function clean(e) return (tostring(e):gsub("^[^:]*:%d+: ", ""):gsub("to '[%w_]+%.", "to '")) end
local function try(...) local r = table.pack(pcall(...)) if r[1] then p(table.unpack(r, 1, r.n)) else p("ERR", clean(r[2])) end end
-- patterns
local subjects = {"hello world from Lua", "  trim me  ", "key = value", "2024-01-15T10:20:30", "THE (quick) fox", "a,b,,c", "f(a(b)c)d", "%d%s", "x^2$", "aaa", "", "\0a\0", "über straße", "[tag]", "foo.bar(baz)"}
local patterns = {"%a+", "(%a+)", "^%s*(.-)%s*$", "(%w+)%s*=%s*(%w+)", "(%d+)-(%d+)-(%d+)", "%((%a+)%)", "([^,]*)", "%b()", "%f[%a]%a+", "%%d", "x^2$", "a-", "a*", "a?", "()", "()a()", ".", "[%z]", "[^%w]", "[a-c]", "[]]", "[^]]", "[a-]", "[%a_][%w_]*", "%S+$", "^", "$", "^$", "(a)(b)?", "%1", "(.)%1", "((a)(b))", "[[]", "%.", "%w+%.%w+", "[\128-\255]+", ".-b", "a.-", "%u", "%l+", "%p", "%c", "%x+", "%g+"}
for _, s in ipairs(subjects) do for _, q in ipairs(patterns) do
  try(string.find, s, q) try(string.match, s, q) try(string.gsub, s, q, "<%0>") 
  local ok, n = pcall(function() local out = {} for a, b in s:gmatch(q) do out[#out + 1] = tostring(a) .. ":" .. tostring(b) end return table.concat(out, "|") end)
  p(ok and n or clean(n))
end end
for _, q in ipairs{"[", "[a", "[^", "[%", "%", "(", "(()", ")", "%b", "%bx", "%f", "%fa", "(a", "a)", "(%1)", "[a-%", "[]", "[^]", ("("):rep(40), "*", "+", "-", "?", "a**", "^*", "%g"} do
  try(string.find, "abc(a)", q) try(string.match, "abc", q) try(string.gsub, "abc", q, "x")
end
for _, init in ipairs{1, 2, 0, -1, -3, -10, 4, 5, 10, 2.5} do try(string.find, "abc", "b", init) try(string.find, "abc", "", init) try(string.match, "abc", ".", init) try(string.find, "a.c", ".", init, true) end
for _, r in ipairs{"%1", "%0%0", "%%", "%", "%a", "", "x%1y"} do try(string.gsub, "hello world", "(o)", r) end
for _, r in ipairs{{h = "H", o = 5, l = false}, function(c) if c == "l" then return nil end return c:upper() end, function() return false end, function() return {} end, function() return true end, "str", 7} do try(string.gsub, "hello", ".", r) end
try(string.gsub, "hello", "", "-") try(string.gsub, "hello", "l", "L", 1) try(string.gsub, "hello", "l", "L", 0) try(string.gsub, "hello", "l", "L", -1)
try(string.gsub, "abc", "%w", "%%%0") try(string.gsub, "abc", "(a)(b)(c)", "%3%2%1") try(string.gsub, "", "", "x") try(string.gsub, "abc def", "%f[%w]%w+", string.upper)
try(string.gsub, "x y", "(%w) (%w)", "%2 %1")
-- string functions
for _, i in ipairs{0, 1, 2, -1, -2, 3, 10, -10, 1.9, -1.5} do for _, j in ipairs{0, 1, 2, -1, -2, 3, 10, -10} do p(("abc"):sub(i, j), ("abc"):byte(i, j)) end end
try(string.sub) try(string.sub, "abc") try(string.sub, "abc", "2") try(string.sub, 12345, 2, 3) try(string.sub, "abc", nil) try(string.sub, "abc", "x") try(string.sub, {}, 1)
try(string.rep, "ab", 3) try(string.rep, "ab", 3, ",") try(string.rep, "ab", 0) try(string.rep, "ab", -1) try(string.rep, "", 100) try(string.rep, "a", 1, "x") try(string.rep, "a", 2.7) try(string.rep, "x", "3")
try(string.reverse, "abc") try(string.upper, "aBc1é") try(string.lower, "aBc1É") try(string.len, "a\0b") try(string.len) try(string.len, 12) try(string.char) try(string.char, 65, 66) try(string.char, 256) try(string.char, -1) try(string.char, "65") try(string.byte, "") try(string.byte, "abc", 10) try(string.char, 65.9)
p(("x"):rep(3), #("x"):rep(1000), ("%d"):format(3), ("a").b)
-- table functions
local function show(t) local o = {} for i = 1, 12 do o[i] = tostring(t[i]) end return table.concat(o, " ") end
for _, a in ipairs{{1}, {1, 1}, {2}, {3}, {4}, {1.5}, {"2"}, {"x"}, {nil}} do local t = {10, 20, 30} try(table.remove, t, a[1]) p(show(t)) end
for _, a in ipairs{{1, "n"}, {4, "n"}, {5, "n"}, {0, "n"}, {-1, "n"}, {2.7, "n"}, {"2", "n"}, {"x", "n"}} do local t = {10, 20, 30} try(table.insert, t, a[1], a[2]) p(show(t)) end
try(table.insert, {}) try(table.insert, {}, 1, 2, 3) try(table.insert) try(table.insert, {}, nil) try(table.insert, 5, 1) local t = {} table.insert(t, "x") table.insert(t, 1, "y") p(show(t)) try(table.remove, {}) try(table.remove, {}, 1) try(table.remove, {}, 0) try(table.remove)
for _, a in ipairs{{}, {","}, {",", 2}, {",", 2, 3}, {",", 3, 2}, {",", 0}, {",", 1, 10}, {1}, {{}}, {nil, 2}, {"", -1, 0}} do try(table.concat, {1, 2.5, "x"}, a[1], a[2], a[3]) end
try(table.concat, {1, {}, 3}) try(table.concat, {1, nil, 3}) try(table.concat, {true}) try(table.concat) try(table.concat, {}, ",") try(table.concat, {1, 2, 3}, ", ", "2")
try(table.unpack, {1, 2, 3}) try(table.unpack, {1, 2, 3}, 2) try(table.unpack, {1, 2, 3}, 2, 3) try(table.unpack, {1, 2}, 1, 5) try(table.unpack, {}, 1, 0) try(table.unpack) try(table.unpack, {1, nil, 3}, 1, 3) try(table.unpack, {1}, "1", "1") try(select, "#", table.unpack({}, 1, 100))
local q = table.pack(1, nil, 3, nil) p(q.n, q[1], q[2], q[3]) p(table.pack().n)
try(table.sort, {3, 1, "x"}) try(table.sort, {3, 1, 2}, 5) try(table.sort, {1, 2, 3}, function() error("cmp") end) try(table.sort) try(table.sort, {{}, {}}) try(table.sort, {1, 2, 3, 4, 5}, function() return true end)
math.randomseed(1)
local seed = 42 local function rnd(n) seed = (seed * 1103515245 + 12345) % 2147483648 return seed % n end
for n = 0, 60, 7 do local t = {} for i = 1, n do t[i] = {k = rnd(7), i = i} end table.sort(t, function(a, b) return a.k < b.k end) local o = {} for i, v in ipairs(t) do o[i] = v.k .. "/" .. v.i end p(table.concat(o, " ")) end
for n = 0, 40, 5 do local t = {} for i = 1, n do t[i] = rnd(100) end table.sort(t, function(a, b) return a > b end) p(table.concat(t, " ")) end
p(select("#"), select("#", nil), select(2, 1, 2, 3), select(-1, 1, 2, 3)) try(select, 0) try(select, -5, 1) try(select, 5, 1) try(select) try(select, "x")
try(next, {}) try(next, {5}) try(next, {5}, 1) try(next, {a = 1}) try(next, {}, "nope") try(next) try(rawget, {a = 1}, "a") try(rawset, {}, nil, 1) try(rawlen, {1, 2}) try(rawlen, "abc") try(rawlen, 5) try(rawequal, 1, 1)
try(ipairs) try(ipairs, nil) try(setmetatable, {}) try(setmetatable, 1, {}) try(setmetatable, {}, 1) try(getmetatable) try(type) try(assert) try(assert, false) try(assert, nil, "msg") try(assert, false, nil) try(assert, 1, 2, 3) try(error) try(error, nil) try(error, "x", 0) try(error, "x", 1) try(error, "x", 2)
try(xpcall) try(xpcall, print) try(unpack or table.unpack, {1, 2}) p(pcall(pcall, error, "e")) p(pcall(error)) p(xpcall(error, function(e) return "h:" .. tostring(e) end, "m"))
