-- help and vars, and the docs of functions that the host provides.
local host = ...
local type, ipairs, print = type, ipairs, print
local find, lower, rep, match, gmatch = string.find, string.lower, string.rep, string.match, string.gmatch

host.doc("call(id, args)", "calls the action with this id")
host.doc("effect(kind, target, value)", "adds an effect to the result, in the body of a composed action")
host.doc("repr(value)", "the value as Lua source, keys sorted")
host.doc("json.encode(value, opts)", "JSON text; opts.indent for several lines")
host.doc("json.decode(text)", "the value of JSON text; keeps null, empty lists and long integers")
host.doc("json.array(list)", "marks a table as a list, so that an empty one is []")
host.doc("print(...)", "prints to stdout; eprint to stderr, log to the log")
host.doc("null", "JSON null: false in conditions, not nil, can be stored in tables")

function vars() return host.vars() end
host.doc("vars()", "table of the globals set in this session")

local columns = 78

-- show prints the form, and beside it the text in as many lines as it takes.
local function show(d, width)
  local line, indent = d.form .. rep(" ", width - #d.form) .. " ", rep(" ", width + 1)
  local room = math.max(columns, width + 30)
  for word in gmatch(d.text, "%S+") do
    if #line > #indent and #line + 1 + #word > room then
      print(line)
      line = indent
    end
    line = line .. " " .. word
  end
  print(line)
end

function help(name)
  if name ~= nil and type(name) ~= "string" then
    host.fail("help: want a function name in quotes, got " .. type(name))
  end
  local found, width = {}, 0
  for _, d in ipairs(host.docs()) do
    local called = match(d.form, "^[%w_.]+")
    if name == nil or called == name or find(lower(d.form .. " " .. d.text), lower(name), 1, true) then
      if called == name then
        found, width = { d }, #d.form
        break
      end
      found[#found + 1] = d
      if #d.form > width then width = #d.form end
    end
  end
  if #found == 0 then
    print("no helper named " .. name .. "; help() lists all")
  end
  for _, d in ipairs(found) do show(d, width) end
end
host.doc("help(name)", "lists the helpers, or those that match a word")
