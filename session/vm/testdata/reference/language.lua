local function p(...) print(...) end
-- Lua 5.2 says "call field 'x' (a nil value)" where later versions, and this machine, say "call a nil value (field 'x')"
local function clean(e) return (tostring(e):gsub("^[^:]*:%d+: ", ""):gsub("(%l+) (%l+ '[^']+') %((a %l+ value)%)", "%1 %3 (%2)"):gsub("to '[%w_]+%.", "to '")) end
local function try(...) local r = table.pack(pcall(...)) if r[1] then p(table.unpack(r, 1, r.n)) else p("ERR", clean(r[2])) end end
-- math
for _, f in ipairs{"abs", "ceil", "floor", "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "deg", "rad", "modf", "frexp"} do
  for _, v in ipairs{0, 1, -1, 0.5, 2.5, -2.5, 100, 1e10, 1/0, -1/0, "3", 1e-10} do try(function() local a, b = math[f](v) return f, v, a ~= a and "nan" or a and string.format("%.10g", a), b end) end
  try(math[f]) try(math[f], "x") try(math[f], {})
end
for _, a in ipairs{{5, 3}, {-5, 3}, {5, -3}, {5.5, 2}, {5, 1/0}, {1e300, 7}} do p(string.format("%.14g %.14g %.14g", math.fmod(a[1], a[2]), math.pow(a[1], a[2]), math.atan2(a[1], a[2]))) end
p(math.max(1, 2, 3), math.min(3, 1, 2), math.max(-1), math.max(1.5, 2.5), math.pi, math.huge, -math.huge, math.ldexp(1, 10), math.ldexp(0.5, -3), math.log(8, 2), math.log(100, 10), math.log(27, 3), math.log(0))
try(math.max) try(math.min) try(math.random, 0) try(math.random, 2, 1) try(math.random, 1, 2, 3) try(math.fmod, 1) try(math.log, 10, 0) try(math.ldexp, 1) p(math.floor(-3.5), math.ceil(-3.5), math.floor(3), math.floor(1e100), math.floor(-0.0))
for i = 1, 50 do local r = math.random(5) assert(r >= 1 and r <= 5 and r == math.floor(r)) local f = math.random() assert(f >= 0 and f < 1) local g = math.random(-3, 3) assert(g >= -3 and g <= 3) end
-- bit32
for _, a in ipairs{{0, 0}, {1, 2}, {0xff, 0x0f}, {-1, 1}, {2^32, 1}, {2^31, 3}, {0xdeadbeef, 8}, {1.5, 1}} do p(bit32.band(a[1], a[2]), bit32.bor(a[1], a[2]), bit32.bxor(a[1], a[2]), bit32.bnot(a[1]), bit32.lshift(a[1], a[2]), bit32.rshift(a[1], a[2]), bit32.arshift(a[1], a[2]), bit32.lrotate(a[1], a[2]), bit32.rrotate(a[1], a[2]), bit32.btest(a[1], a[2])) end
p(bit32.lshift(1, 32), bit32.lshift(1, -1), bit32.rshift(8, -1), bit32.arshift(0x80000000, 31), bit32.arshift(0x80000000, 40), bit32.arshift(1, -40), bit32.extract(0xabcd, 4, 8), bit32.replace(0xabcd, 0x12, 4, 8), bit32.band(), bit32.bor())
try(bit32.extract, 1, 32) try(bit32.extract, 1, -1) try(bit32.extract, 1, 0, 0) try(bit32.extract, 1, 30, 5) try(bit32.bnot) try(bit32.band, "x") try(bit32.band, 2^53) try(bit32.lshift, 1)
-- goto, closures, scope
do local i = 1 ::top:: if i <= 3 then io.write(i, " ") i = i + 1 goto top end print() end
for i = 1, 3 do for j = 1, 3 do if j == 2 then goto continue end io.write(i, j, " ") ::continue:: end end print()
do local t = {} for i = 1, 3 do local x = i * 2 t[i] = function() x = x + 1 return x end end p(t[1](), t[1](), t[2](), t[3]()) end
do local k = 0 local fs = {} ::again:: local c = 0 fs[#fs + 1] = function() c = c + 1 return c end k = k + 1 if k < 3 then goto again end p(fs[1](), fs[1](), fs[2](), fs[3]()) end
do local function mk(x) return function() return function() x = x + 1 return x end end end local a, b = mk(1), mk(1) local f, g = a(), b() p(f == g, f(), g(), a()(), b()()) end
do local a, b, c = (function(...) return select("#", ...), ... end)(nil, nil) p(a, b, c) p((select("#", (function() return 1, 2, 3 end)()))) p(((function() return 1, 2, 3 end)())) end
do local function va(...) local a, b = ... return a, b, select("#", ...), {...}, table.pack(...).n end local a, b, n, t, m = va(1, nil, 3, nil) p(a, b, n, m) end
do local t = {f = function(self, x) return self.v + x end, v = 10} p(t:f(5), t.f(t, 6), t["f"](t, 7)) end
do local a = {10, 20, 30, nil, 50, [10] = 1, x = "y", [1] = "over"} p(a[1], a[5], a[10], a.x, #"x") end
do local i = 1 local a = {} i, a[i] = i + 1, 20 p(i, a[1], a[2]) local x, y, z = 1, 2 p(x, y, z) x, y = y, x p(x, y) end
do local n = 0 for i = 10, 1, -3 do n = n + i end p(n) for i = 1, 0 do p("no") end for i = 1, 1.5, 0.25 do io.write(i, " ") end print() for i = 3, 1 do p("no") end end
try(function() for i = 1, 10, 0 do break end return "zero step" end) try(function() for i = "1", 2 do io.write(i, " ") end end) for _, f in ipairs{function() for i = "x", 2 do end end, function() for i = 1, {} do end end, function() for i = 1, 2, "x" do end end} do local ok, e = pcall(f) p(ok, clean(e):match("^'for' .- must be a number")) end
do local n = 0 while true do n = n + 1 if n > 5 then break end end p(n) repeat local done = n > 8 n = n + 1 until done p(n) end
-- metamethods
local mt = {} mt.__index = function(t, k) return k .. "!" end mt.__newindex = function(t, k, v) rawset(t, k, v * 2) end mt.__call = function(self, a, b) return "called", a, b end mt.__tostring = function() return "OBJ" end mt.__len = function() return 42 end mt.__unm = function() return "neg" end mt.__concat = function(a, b) return "cat(" .. tostring(a) .. "," .. tostring(b) .. ")" end mt.__eq = function() return true end mt.__lt = function() return true end mt.__le = function() return false end
for _, op in ipairs{"add", "sub", "mul", "div", "mod", "pow"} do mt["__" .. op] = function(a, b) return op .. ":" .. type(a) .. "," .. type(b) end end
local o, o2 = setmetatable({}, mt), setmetatable({}, mt)
p(o.foo, o(1, 2), tostring(o), #o, -o, o .. "x", "x" .. o, 1 .. o, o .. o2, o == o2, o ~= o2, o < o2, o <= o2, o > o2, o >= o2, o == 1)
p(o + 1, 1 + o, o - 1, o * 2, o / 2, o % 2, o ^ 2, 2 ^ o, o + o2) o.bar = 21 p(rawget(o, "bar"), o.bar, rawlen(o), rawequal(o, o2))
p("a" .. "b" .. o, "a" .. o .. "b", o .. "a" .. "b", 1 .. 2 .. o)
local le = setmetatable({}, {__lt = function(a, b) return false end}) p(le <= le, le >= le) try(function() return le < 1 end) try(function() return {} < {} end) try(function() return {} < 1 end) try(function() return "a" < 1 end) try(function() return nil > 1 end) try(function() return true <= false end) try(function() return print < print end)
local idx = setmetatable({}, {__index = setmetatable({a = 1}, {__index = {b = 2}})}) p(idx.a, idx.b, idx.c) local ni = setmetatable({}, {__newindex = idx}) ni.z = 9 p(rawget(ni, "z"), rawget(idx, "z"))
local prox = setmetatable({}, {__pairs = function(t) return function(_, k) if not k then return 1, 2 end end, t, nil end, __ipairs = function(t) return function(_, i) if i < 2 then return i + 1, "v" end end, t, 0 end}) for k, v in pairs(prox) do p(k, v) end for i, v in ipairs(prox) do p(i, v) end
try(function() return setmetatable({}, {__metatable = "no"}) end and function() return getmetatable(setmetatable({}, {__metatable = "no"})) end) try(setmetatable, setmetatable({}, {__metatable = 1}), {}) try(function() return #5 end) try(function() return -{} end) try(function() local a = "x" return a + 1 end) try(function() return {} .. "x" end) try(function() return 1 .. nil end) try(function() return ("x")() end) try(function() local t = {} t.x.y = 1 end) try(function() local t = {} return t.x.y end) try(function() undefinedf() end) try(function() local t = {} t.m() end) try(function() local t = {} t:m() end) try(function() return 2 ^ {} end) try(function() t_[nil] = 1 end) try(function() local t = {} t[nil] = 1 end) try(function() local t = {} t[0/0] = 1 end) try(function() return ({})[nil] end)
p(tostring(setmetatable({}, {__tostring = function() return 5 end})), pcall(tostring, setmetatable({}, {__tostring = function() return nil end})))
try(error, setmetatable({}, {__tostring = function() return "E!" end})) p(pcall(error, "msg", 0), pcall(error, "msg"), select("#", pcall(error)))
p(xpcall(function() error("in") end, function(m) return "H " .. clean(m) end)) p(xpcall(function(...) return ... end, print, 1, 2, 3)) p(pcall(function() return 1, 2, 3 end)) p(select(2, pcall(error, {1, 2}))[2]) p(pcall(function() local ok, e = pcall(error, "a", 0) error(e .. "b", 0) end))
-- coroutines
local co = coroutine.create(function(a, b) p("start", a, b) local c = coroutine.yield(a + b) p("got", c) local d, e = coroutine.yield(c * 2) return d + e end) p(coroutine.resume(co, 1, 2)) p(coroutine.status(co)) p(coroutine.resume(co, 10)) p(coroutine.resume(co, 3, 4)) p(coroutine.status(co), coroutine.resume(co)) for v in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) do io.write(v, " ") end print() p(pcall(coroutine.wrap(function() error("x", 0) end))) p(type(coroutine.running())) try(coroutine.create, 1) try(coroutine.yield) try(coroutine.wrap(function() coroutine.yield(1, nil, 3) end)) p(select("#", coroutine.resume(coroutine.create(function() return nil, nil end)))) local w = coroutine.wrap(function() return 1 end) w() try(w) p(coroutine.resume(coroutine.create(function() return pcall(function() coroutine.yield(1) error("after", 0) end) end)))
-- os
p(os.time{year = 2000, month = 1, day = 1, hour = 0}, os.time{year = 2024, month = 2, day = 30, hour = 12}, os.time{year = 1970, month = 1, day = 1, hour = 0, sec = 10}, os.time{year = 2023, month = 14, day = -5, hour = 30, min = 70, sec = 90}) p(os.date("!%Y-%m-%d %H:%M:%S", 0), os.date("!%c", 1e9), os.date("!%x %X %p", 1e9), os.date("!%a %A %b %B %d %j %U %w %W %y %%", 1e9), os.date("!%D %e %F %g %G %h %I %M %n %R %t %T %u %V %C %r", 1.1e9)) local d = os.date("!*t", 1234567890) p(d.year, d.month, d.day, d.hour, d.min, d.sec, d.wday, d.yday, d.isdst) try(os.time, {}) try(os.time, {year = 2000}) try(os.date, "%Q", 0) try(os.date, "%", 0) p(os.difftime(10, 5), type(os.clock()), type(os.time()), os.date("!%H", 3600)) try(os.difftime) try(os.date, "!%Y", "x") p(os.time{year=2020, month="3", day="4", hour="5"}) p(os.date("!%Y", 1e9 + 0.7))
