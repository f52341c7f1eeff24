-- Runs programs for the test: each comes as its length, a line break and its text, and its output goes back so.

-- What differs on purpose, see docs/lua.md, is here as it is in the machine.
-- assert passes its message on unchanged.
function assert(...)
  if not ... then
    local _, message = ...
    error(message == nil and "assertion failed!" or message, 0)
  end
  return ...
end
-- An error goes through coroutine.wrap unchanged.
function coroutine.wrap(f)
  local co = coroutine.create(f)
  local function pass(ok, ...)
    if not ok then error(..., 0) end
    return ...
  end
  return function(...)
    if coroutine.status(co) == "dead" then error("cannot resume dead coroutine", 2) end
    return pass(coroutine.resume(co, ...))
  end
end

io.stdout:setvbuf("full")
while true do
  local length = io.read("*n")
  if not length then break end
  io.read(1)
  local text, out = io.read(length), {}
  local names = setmetatable({}, {__index = _G})
  names.print = function(...)
    local l = {...}
    for i = 1, select("#", ...) do l[i] = tostring(l[i]) end
    out[#out + 1] = table.concat(l, "\t") .. "\n"
  end
  local program, e = load(text, "=p", "t", names)
  if program then
    debug.sethook(function() debug.sethook() error("too long", 0) end, "", 5000000)
    local ok, e = pcall(program)
    debug.sethook()
    if not ok then out[#out + 1] = "error: " .. (type(e) == "string" and e or "a value") .. "\n" end
  else
    out[#out + 1] = "syntax: " .. e .. "\n"
  end
  out = table.concat(out)
  io.write(#out, "\n", out)
  io.flush()
end
