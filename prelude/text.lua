-- Helpers over text. Positions and lengths count bytes. They are plain functions, not string methods.
local host = ...
local type, tostring = type, tostring
local find, sub, match, gsub, rep = string.find, string.sub, string.match, string.gsub, string.rep
local fail = host.fail

local function want_text(name, s)
  if type(s) ~= "string" then
    fail(name .. ": want a string, got " .. type(s))
  end
end

function split(s, sep)
  want_text("split", s)
  local out, n, from = {}, 0, 1
  if sep == nil then
    for word in s:gmatch("%S+") do
      n = n + 1
      out[n] = word
    end
    return out
  end
  want_text("split", sep)
  if sep == "" then fail("split: the separator is empty") end
  while true do
    local first, last = find(s, sep, from, true)
    n = n + 1
    if not first then
      out[n] = sub(s, from)
      return out
    end
    out[n] = sub(s, from, first - 1)
    from = last + 1
  end
end
host.doc("split(s, sep)", "list of the parts between separators; without sep, of the words")

function join(list, sep)
  if type(list) ~= "table" then fail("join: want a list, got " .. type(list)) end
  local parts = {}
  for i = 1, #list do parts[i] = tostring(list[i]) end
  return table.concat(parts, sep == nil and ", " or sep)
end
host.doc("join(list, sep)", "the items as text, separated by sep (\", \")")

function trim(s)
  want_text("trim", s)
  return match(s, "^%s*(.-)%s*$")
end
host.doc("trim(s)", "s without surrounding whitespace")

function starts_with(s, head)
  want_text("starts_with", s)
  want_text("starts_with", head)
  return sub(s, 1, #head) == head
end
host.doc("starts_with(s, head)", "whether s starts with head")

function ends_with(s, tail)
  want_text("ends_with", s)
  want_text("ends_with", tail)
  return #tail <= #s and sub(s, #s - #tail + 1) == tail
end
host.doc("ends_with(s, tail)", "whether s ends with tail")

function contains(s, part)
  if type(s) == "table" then
    for i = 1, #s do
      if s[i] == part then return true end
    end
    return false
  end
  want_text("contains", s)
  want_text("contains", part)
  return find(s, part, 1, true) ~= nil
end
host.doc("contains(s, part)", "whether text contains a part, or a list an item")

function replace(s, old, new)
  want_text("replace", s)
  want_text("replace", old)
  want_text("replace", new)
  if old == "" then return s end
  return (gsub(s, gsub(old, "%p", "%%%0"), (gsub(new, "%%", "%%%%"))))
end
host.doc("replace(s, old, new)", "every old text replaced by new; no patterns")

function lines(s)
  want_text("lines", s)
  if s == "" then return host.empty_list() end
  if sub(s, -1) == "\n" then s = sub(s, 1, -2) end
  return split((gsub(s, "\r\n", "\n")), "\n")
end
host.doc("lines(s)", "list of lines")

function pad(s, width)
  s = tostring(s)
  if type(width) ~= "number" then fail("pad: want a width, got " .. type(width)) end
  local space = rep(" ", (width < 0 and -width or width) - #s)
  if width < 0 then return space .. s end
  return s .. space
end
host.doc("pad(s, width)", "padded with spaces on the right; a negative width pads on the left")
