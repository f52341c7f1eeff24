-- fs.find, present when the session has a workspace. It lists each folder once, and only folders that can hold a match.
local host = ...
local type, ipairs, call = type, ipairs, call
local find, gsub, match, sub = string.find, string.gsub, string.match, string.sub
local fail = host.fail

-- a segment of a pattern as a Lua pattern: * is any text, ? one character
local function segment(text)
  text = gsub(text, "[%^%$%(%)%%%.%[%]%+%-]", "%%%0")
  return "^" .. gsub(gsub(text, "%*", ".*"), "%?", ".") .. "$"
end

local function segments(pattern)
  local list = {}
  for part in string.gmatch(pattern, "[^/]+") do
    if part == ".." then fail("fs.find: .. is not allowed in a pattern") end
    if part ~= "." then list[#list + 1] = part == "**" and part or segment(part) end
  end
  return list
end

host.extend("fs.find", function(pattern, opts)
  opts = opts or {}
  if type(pattern) ~= "string" or type(opts) ~= "table" then
    fail("fs.find(pattern, opts): the pattern is a string such as \"src/**/*.go\", the options are {max = 1000, folders = 40}")
  end
  local parts, found = segments(pattern), host.empty_list()
  if #parts == 0 then fail("fs.find: the pattern is empty: \"**/*.go\" searches all folders") end
  local max, left = opts.max or 1000, opts.folders or 40
  local complete = true

  -- walk lists a folder once, for all places in the pattern that it may stand at
  local function walk(dir, at)
    if left == 0 then complete = false return end
    left = left - 1
    local listing = call("fs.list_dir", { path = dir == "" and "." or dir })
    if listing.next_offset then complete = false end
    for _, entry in ipairs(listing.entries) do
      local path = dir == "" and entry.name or dir .. "/" .. entry.name
      local below, hit, seen = {}, false, {}
      local function add(i)
        if not seen[i] then
          seen[i] = true
          below[#below + 1] = i
        end
      end
      local function step(i)
        local part = parts[i]
        if part == nil then return end
        if part == "**" then
          if sub(entry.name, 1, 1) ~= "." then add(i) end
          if i == #parts then hit = true else step(i + 1) end
        elseif match(entry.name, part) then
          if i == #parts then hit = true else add(i + 1) end
        end
      end
      for _, i in ipairs(at) do step(i) end
      if hit and entry.type == "file" then
        if #found >= max then complete = false return end
        found[#found + 1] = path
      end
      if entry.type == "dir" and #below > 0 then walk(path, below) end
      if #found >= max and not complete then return end
    end
  end
  walk("", { 1 })
  return found, complete
end)
host.doc("fs.find(pattern, opts)", "paths of files like \"src/**/*.go\", and whether the list is complete; one fs.list_dir call per folder; opts: max (1000 paths), folders (40)")
