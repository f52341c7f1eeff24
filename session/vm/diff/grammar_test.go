package diff

// This file is the grammar of the random programs. A production is Lua text with holes:
//
//	<num>     an expression of that symbol
//	<=num>    a visible variable of that type; <^> is the last one of the production again
//	<+num>    a new variable; it is visible in the blocks of its production, and after a "local" until its block ends
//	@, @@     names of their own, which no other production knows
//	·         white space, sometimes a line break
//
// What a program does is bounded by construction: loops count to small numbers, a function calls only functions of a
// lower level, and strings that a loop builds are cut. What differs on purpose is not written at all: see excluded.

// grammar holds the productions of each symbol; the first must have no holes. A production that stands here twice is
// chosen twice as often.
var grammar = map[string][]string{
	"num": {"0", "1", "2", "3", "7", "-1", "-3", "2.5", "0.1", "-0.5", "0x10", "1e2", "<=num>", "<=num>", "<=num>", "<=num>",
		"<=num>", "<num>·+·<num>", "<num>·+·<num>", "<num>·*·<small>", "(<num>·-·<num>)", "<num>·/·<divisor>", "<num>·%·<divisor>",
		"<num> %·<divisor>", "<small> ^·<exponent>", "-<=num>", "-·(<num>)", "#<=str>", "#(<str>)", "#<=list>", "#<list>",
		"math.floor(<num>)", "math.ceil(<num>)", "math.abs(<num>)", "math.max(<num>,·<num>)", "math.min(·<num>, <num>, <num>)",
		"math.fmod(<num>, 3)", "math.fmod(7, <divisor>)", "(math.modf(<num>))", "select('#',·<anys>)", "(select(<int>, <num>, <num>, <num>))",
		"tonumber(<str>)", "tonumber(<numeral>)", "tonumber(<digits>, <base>)", "(<str>):len()", "((<str>):byte() or 0)",
		"(<bool> and <num> or <num>)", "<call>", "<call>", "<=list>[<int>]", "(<=list>[<int>] or <num>)", "(<num>)",
		"bit32.band(<word>, <word>)", "bit32.bxor(<word>, <word>)", "bit32.lshift(<word>, <int>)", "bit32.extract(<word>, <int>)",
		"<=obj>.v", "<=obj>·+·<num>", "<num> -·<=obj>", "<=obj> %·<num>", "<num>·/ <=obj>", "-<=obj>", "#<=obj>", "<=obj>(<num>, <str>)",
		"<=obj>:get(<num>)", "<=obj>·:·get(·<num>·)", "<=obj>.get(<=obj>, <num>)", "rawlen(<list>)", "(<str>):find(<pattern>)",
		"<numeral> + <num>", "<num> *·<numeral>", "-<numeral>", "<=map>.x", "(<=map>.x or <num>)", "math.sqrt(math.abs(<num>))",
		"string.byte(<str>, <int>)", "<num> or <num>", "(<num> and <num>)"},
	"small":    {"1", "2", "3", "-2", "0.5", "10", "5", "<=num>", "<=num>"},
	"divisor":  {"2", "3", "-2", "0.5", "10", "-0.1", "1e2", "(#<=str> + 1)", "(<=num> or 2) ^ 0", "'4'"},
	"exponent": {"2", "0", "3", "1"},
	"int":      {"1", "2", "3", "0", "-1", "-2", "5", "1.5"},
	"word":     {"1", "255", "7", "0xF0F0", "-1", "<=num>", "#<=str>"},
	"step":     {"1", "2", "-1", "-2", "0.5", "-0.7", "3", "1.5"},
	"numeral":  {`"10"`, `"0x1F"`, `" 5 "`, `"1e1"`, `"-3"`, `"2.5"`, `"abc"`, `""`, `"5x"`, `"0x"`, `"1e"`, `"0x.8p1"`, `"- 1"`},
	"digits":   {`"10"`, `"ff"`, `"7z"`, `"-11"`, `" 12 "`, `"8"`, `""`},
	"base":     {"10", "16", "2", "36", "8"},

	"str": {`"a"`, `'b c'`, `""`, "[[l\nm]]", `"\65\n"`, `"x,y;z"`, `"10"`, `"k=v"`, "<=str>", "<=str>", "<=str>", "<=str>", "<cat>", "<cat>",
		"<cat>", "<cat>", "(<str>):sub(<int>, <int>)", "string.sub(<str>, <int>)", "(<str>):rep(<int>)", "string.rep(<str>,·<int>,·<str>)",
		"(<str>):upper()", "string.lower(<str>)", "(<str>):reverse()", "tostring(<num>)", "tostring(<bool>)", "tostring(<=obj>)", "type(<any>)",
		`string.format("%d %s",·<int>,·<str>)`, `("%5.1f|%-5s|%03d"):format(<num>,·<str>, <int>)`, `("%g %g"):format(<num>, <num>)`,
		`string.format("%q", tostring(<str>))`, `("%x"):format(<word>)`, `("%s %s %10.2s"):format(<num>, <bool>, <str>)`, `string.format("%c%%%i", 65, <int>)`,
		`("%.3f %e"):format(<num>, <num>)`, `("%5s"):format(<=obj>)`, "table.concat(<list>, <str>)", "table.concat(<list>)", "table.concat(<list>, '-', 2)",
		"((<str>):gsub(<pattern>, <replacement>))", "(<str>):match(<pattern>)", `((<str>):match(<pattern>) or <str>)`, "string.char(<byte>, <byte>)",
		"(<bool> and <str> or <str>)", "(select(2, <num>, <str>))", "<=obj>·..·<str>", "<str> .. <=obj>", "<=obj>.name", "(<str>)", "<=map>.y",
		"<=obj>:text(·<str>)"},
	"byte": {"65", "97", "48", "10", "255"},
	"cat": {`"a" .. 1`, "<operand>·..·<operand>", "<operand>·..·<operand>", "<operand> ..·<operand>·.. <operand>",
		"<operand>·..·<operand>·..·<operand>·..·<operand>", "(<cat>)·..·<operand>", "<operand>·..·(<cat>)"},
	"operand":     {`"a"`, `"b"`, "1", "<=num>", "<=str>", "<=str>", "<num>", "<str>", "(<num>)", "<=map>.y", "<=list>[<int>]", "<=map>.x.y"},
	"pattern":     {`"a"`, `"%a+"`, `"(%w)(%w)"`, `"%d*"`, `"^%s*(.-)%s*$"`, `"."`, `"[%a_][%w_]*"`, `"()b"`, `"%b()"`, `"x-y"`, `"[^,;]+"`, `"%f[%w]%w+"`, `"(.)%1"`, `"$"`, `""`, `"%"`, `"(a"`, `"[a"`, `"%1"`},
	"replacement": {`"<%0>"`, `"%1%1"`, `"x"`, `""`, `"%%"`, "{a = '1', b = true}", "function(@) return @ .. '!' end", "function() end", "<str>", `"%2"`, "function(@)·return {} end"},

	"bool": {"true", "false", "<=bool>", "(<num> < <num>)", "(<num>·<=·<num>)", "(<num> >·<num>)", "(<str> < <str>)", "(<str>·>=·<str>)", "(<any>·==·<any>)",
		"(<any> ~=·<any>)", "not <any>", "(<bool>·and·<bool>)", "(<bool> or·<bool>)", "rawequal(<any>, <any>)", "(<=obj> == <=obj>)", "(<=obj>·<·<=obj>)",
		"(<=obj> <= <=obj>)", "(<num> == <str>)"},

	// A list has no holes: its items are never nil.
	"list": {"{}", "{1, 2, 3}", "{<item>}", "{<item>,·<item>}", "{<item>;·<item>,·<item>,}", "{<item>, table.unpack(<list>)}", "{(<str>):byte(1, -1)}", "<=list>", "<=list>", "<=list>",
		"{<item>, <item>, (<item>)}"},
	"item":     {"1", "4", `"i"`, `"j"`, "2.5", "-1", "(<num> or 1)", "(<cat>)", "#<=str>", "<num> + <num>", "tostring(<num>)", "<num>·*·<small>", "-<=num>", "(<str>):upper()"},
	"map":      {"{}", "{x = <any>}", "{x = <any>,·y = <str>}", "{·[ <key>] = <any>;·x = <num>, <any>}", "{[ <key>]·=·<any>, [ <key>] = <any>}", "<=map>", "{x = {y = <any>}, y = <str>}", "{<anys>}", "{...}", "table.pack(<anys>)"},
	"constant": {`"k"`, `"x"`, "1", "2.5", "true", "-1"},
	"key":      {`"k"`, `"x"`, "1", "2.5", "true", "<num>", "<str>", "-1"},

	"any":  {"nil", "1", `"s"`, "true", "<num>", "<num>", "<num>", "<str>", "<str>", "<str>", "<bool>", "<list>", "<map>", "<=any>", "<=any>", "<fun>", "<multi>", "(<multi>)", "<=map>.x", "<=map>[ <key>]", "<=obj>"},
	"anys": {"nil", "<any>", "<any>", "<any>,·<any>", "<any>, <any>,·<any>", "<any>,·<multi>", "<multi>,·<any>", "<multi>", "<any>, (<multi>)"},
	"multi": {"nil", "...", "...", "<call>", "<call>", "table.unpack(<list>)", "table.unpack({<anys>}, 1, 3)", "(<str>):find(<pattern>)", "(<str>):gsub(<pattern>,·<replacement>)", "(<str>):byte(1, -1)",
		"(<str>):match(<pattern>)", "select(<int>,·<anys>)", "math.modf(<num>)", "pcall(<fun>, <anys>)", "pcall(<fun>)", "coroutine.resume(<=co>,·<anys>)", "coroutine.resume(<=co>)", "<=obj>(<anys>)", "pcall(error, <any>)"},
	"fun": {"show", "function(<params>)·<body> end", "function(<params>) <body>·end", "<=fun>", "<=fun>"},
	"call": {"tostring(1)", "<=fun>(<num>, <str>)", "<=fun>(<num>, <str>)", "<=fun>(·<num>,·<str>·)", "<=fun>(<anys>)", "<=fun>(<num>,·<multi>)", "<=fun>·(<num>)", "<=fun>'s'", "<=fun>{<item>}", "(<=fun>)(<num>)",
		"(function(<params>)·<body> end)(·<num>, <str>)", "<=fun>()"},

	// A bad value stands where one of another type is expected.
	"bad": {"nil", "true", "{}", "nope", "nope.x", "(nil)", "<=list>", "<=str>", "<=num>", "<=map>.x", "<=map>.x.y", "<=list>.x", "<=list>[<int>].z", "math.nope", "(function() end)", "<=str>.x", "(...)", "<=map>[ <key>]", "G2", "<=bool>"},

	"params": {"", "...", "<+num>, ...", "<+num>, <+str>, ...", "<+num>", "<+num>, <+str>", "<+num>,·<+str>", "<+num>, <+str>, <+any>"},
	// The body of a function is followed by what it returns.
	"result": {"", " return <num>", " return <num>·", " return <num>, <str>", " return <call>", " return <call>", " return (<call>)", " return <multi>", " return <anys>", " return ...", ";return <num>;", " return <num>, <multi>"},

	"stmt": {"show(1)", "local <+num> = <num>", "local <+num> = <num>", "local <+num>·=·<num>", "local <+num> = <num>", "local <+str> = <str>", "local <+str> = <str>", "local <+list> = <list>", "local <+list> = <list>",
		"local <+map> = <map>", "local <+map> = <map>", "local <+bool> = <bool>", "local <+fun> = <fun>", "local function <+fun>(<params>)·<body> end", "local function <+fun>(<params>) <body>·end",
		"local <+co> = coroutine.create(function(<params>)·<cobody> end)", "<object>", "<object>", "local <+any> = <any>", "local <+num>, <+str> = <num>,·<str>", "local <+any>, <+any> = <multi>",
		"local <+any>, <+any>, <+any> = <any>, <multi>", "local <+any> = (<multi>)", "local <+any>, <+num>",

		"<=num> = (<num>) % 97", "<=num> = <=num> + 1", "<=num>, <=num> = <=num>, <=num>", "<=str> = (<str>):sub(1, 30)", "<=str> = (<str>)·..·<operand> <^> = <^>:sub(1, 30)", "<=num>, <=str> = <=num>, <=str>",
		"<=list>[1] = <item>", "<=list>[#<^> + 1] = <item>", "table.insert(<=list>,·<item>)", "table.insert(<=list>, 1, <item>)", "show(table.remove(<=list>))", "show(table.remove(<=list>, 1))", "do local @ = {#(<str>), 3, #<=list>,·1, #(<cat>), math.pi} table.sort(@) show(table.concat(@, ' ')) end",
		"table.sort(<=list>,·function(@, @@) return @ > @@ end)", "table.sort(<=list>, function(@, @@) return tostring(@) < tostring(@@) end)", "<=any> = <any>", "<=map>.x = <any>", "<=map>[ <key>] = <any>", "<=map>.x,·<=map>.y = <multi>", "<=num>, <=map>[<=num>] = (<num>) % 7, <any>", "<=map>.x.y·=·<any>",
		"<=map>.x, <=num> = <=num>, 3", "<=bool> = <bool>", "<=obj>.v = <item>", "<=obj>.w, <=obj>[ <constant>] = <item>, <item>", "rawset(<=map>, <constant>, <any>)", "<=map>.y = <str>",

		"show(<anys>)", "show(<anys>)", "show(<anys>)", "show(<num>)", "show(<num>,·<num>)", "show(<str>)", "show(<str>,·<str>)", "show(<bool>)", "print(<cat>, #<=str>)", "show((<multi>))", "show(<call>)", "<call>", "<call>", "<=obj>:get(<num>)", "<=obj>(<num>)", ";(<fun>)(<num>)",
		"show(pcall(<fun>,·<anys>))", "show(pcall(<fun>, <num>, <str>))", "show(pcall(function(<params>)·<body> end))", "show(pcall(function(<params>)·<body> end, <num>, <str>))", "show(pcall(function(...)·<body> end, <anys>))",
		"show(xpcall(<fun>, function(@) return type(@) == 'string' and 'h ' .. @ or @ end, <num>, <str>))", "show(xpcall(function(<params>)·<body> end,·show))", "show(select('#', pcall(<fun>)))",
		"error(<str>)", "error(·<str>,·<int>)", "error(<str>, 2)", "error(<str>, 2)", "error({code = <num>})", "error()", "error(<any>, <int>)", "assert(<any>)", "assert(<bool>)", "show(pcall(error,·<str>, 1))",

		"if <bool> then <block> end", "if <any> then·<block> else <block> end", "if <bool> then <block> elseif <bool> then·<block> else <block> end", "do local @ = 0 while @ < 3 do @ = @ + 1 <loop> end end",
		"for <+num> = <int>, <int> do <loop> end", "for <+num> = 1, 3 do·<loop> end", "for <+num> = <int>, <int>, <step> do <loop> end", "for <+num> = 1, math.min(<num>, 4) do <loop> end", "for <+num> = <num>,·3,·1 do <block> do break end end", "for <+num> = '1', 2 do <loop> end",
		"for <+num> = <bad>,·2 do <block> break end", "for <+num> = 1, <bad> do <block> do break end end", "for <+num> = 1, 2,·<bad> do <block> do break end end",
		"for <+num>, <+any> in ipairs({<item>, table.unpack(<list>)}) do <loop> end", "for <+num>, <+any> in ipairs({<anys>})·do <loop> end", "for <+str> in (<str>):gmatch(<pattern>) do <loop> end", "for @, <+any> in (<str>):gmatch('(%w)(%w)') do <loop> end",
		"do local @ = {} for @@ in pairs(<map>) do @[#@ + 1] = tostring(@@) end table.sort(@) show(table.concat(@, ',')) end", "do local @ = 0 for <+any>, <+any> in function(...) @ = @ + 1 if @ < 4 then return @, <any> end end do <loop> end end", "for <+any> in <bad> do break end",
		"for <+any>, <+any> in coroutine.wrap(function(...)·<cobody> end) do <loop> end", "do local @ = 0 repeat @ = @ + 1 local <+num> = <num> <block> until @ > 2 or <bool> end", "do local @ = 0 repeat @ = @ + 1 local @@ = <num> until @ > 2 or @@ ==·<num> end", "do <block> end",
		"do local @ = 0 ::@:: @ = @ + 1 <block> if @ < 3 then goto @ end end", "do goto @ <block> ::@:: end", "<jump>", "<jump>", "do return <anys> end", "if <bool> then return <anys> end", "if <bool> then return·<call> end",

		"function <=obj>:get(<params>)·<body0> end", "function <=obj>.text(@,·<params0>) <body0> end", "show(coroutine.resume(<=co>,·<anys>))", "show(coroutine.resume(<=co>))", "show(coroutine.resume(<=co>), coroutine.status(<=co>))", "show(coroutine.status(<=co>))", "<yield>", "<yield>",
		"do local function @(@@, ...) if @@ > 0 then <block0> return @(@@ - 1) end return <num> end show(@(3)) end", "do local function @(@@, ...) if @@ > 0 then return <num>, @(@@ - 1, <num>, ...) end return ... end show(@(3, <anys>)) end", "do local function @(@@, ...) if @@ > 0 then return <num>·+·@(@@ - 1) end return <num> end show(@(2)) end",
		"do local @ = {} for <+num> = 1, 3 do local @@ = <num> @[#@ + 1] = function(...)·@@ = @@ + 1 <block0> return @@, ... end end show(@[1](<anys>)) show(@[1](), @[2](), @[3]()) end",
		"do local @ = {} for @@ = 1, 3 do @[@@] = function(...) @@ = @@ + <small> return @@ end end show(@[1](), @[1](), @[2](), (@[3]())) end",
		"do local function @(...) local @@ = <num> return function() @@ = @@ + 1 return @@ end, function(...) @@ = ... return @@ end end local a, b = @() show(a(), b(<num>), a()) local c = @() show(c(), a(), a == c) end"},

	"object": {"local <+obj> = setmetatable({v = 1, name = 'o'}, {__tostring = function() return 'O' end})",
		"local <+obj> = setmetatable({v = <num>, name = <str>}, {__tostring = function(@) return 'O' .. tostring(@.v) end,·__add = function(@, @@)·<body0> end, __concat = function(@, @@)·<body0> end})",
		"local <+obj> = setmetatable({v = <num>}, {__tostring = function(@) return 'O' end, __index = function(@, @@)·<body0> end,·__call = function(@, <params0>, ...)·<body0> end, __concat = function(@, @@) return 'cat' end})",
		"local <+obj> = setmetatable({v = <num>, name = <str>}, {__tostring = function(...) return <str> end, __mod = function(@, @@) <body0>·end, __sub = function()·<body0> end, __div = function(...) return select('#', ...) end, __unm = function(...) return <num> end, __len = function(...) return <num> end})",
		"local <+obj> = setmetatable({}, {__tostring = function() return 'E' end, __eq = function(...) return <any> end, __lt = function(@, @@) <body0> end,·__le = function(...) return <bool> end, __index = {v = 5, name = 'idx', get = function(self, <params0>)·<body0> end}})",
		"local <+obj> = setmetatable({v = 2}, {__tostring = function() return 'N' end, __newindex = function(@, @@, ...) rawset(@, @@, (...))·<block0> end, __index = function(@, @@) return @@ == 'v' and 3 or nil end})",
		"local <+obj> = {v = <num>, get = function(self, <params0>) <body0> end, text = function(...)·<body0> end}  setmetatable(<^>, {__tostring = function() return 'M' end, __call = function(@, ...) return ... end})"},
	"params0":  {"_", "<+num>", "<+num>, <+str>"},
	"yield":    {"show(3)"},
	"yielding": {"coroutine.yield(<anys>)", "show(coroutine.yield(<any>))", "local <+any> = coroutine.yield(<anys>)"},
	"exit":     {"show(4)"},
	"jump":     {"show(2)", "do <exit> end", "if <bool> then <exit> end"},
}
