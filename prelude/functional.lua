-- Helpers over lists and tables. A list stays a list; a table with named fields keeps its keys. A field name may stand
-- for a function: map(rows, "id").
local host = ...
local type, pairs, ipairs, next, tostring, pcall = type, pairs, ipairs, next, tostring, pcall
local floor, getmetatable = math.floor, getmetatable
local callable, fail, put = host.callable, host.fail, host.put

local function want_table(name, t)
  if type(t) ~= "table" then
    fail(name .. ": the first argument must be a table, got " .. type(t))
  end
end

local function want_count(name, n)
  if type(n) ~= "number" then
    fail(name .. ": want a number, got " .. type(n))
  end
  return floor(n)
end

-- a function, or the name of a field, as a function
local function getter(name, f)
  if type(f) == "action" then
    return function(item) return f(item) end
  end
  if callable(f) then
    return f
  end
  if type(f) == "string" then
    return function(item)
      if type(item) ~= "table" then
        fail(name .. ": cannot take field '" .. f .. "' of a " .. type(item))
      end
      return item[f]
    end
  end
  fail(name .. ": want a function or a field name, got " .. type(f))
end

local function identity(x) return x end

local function optional(name, f)
  if f == nil then
    return identity
  end
  return getter(name, f)
end

local lists = { set = true, hits = true, ids = true } -- of the catalog, also without a hit

local function is_list(t) return #t > 0 or next(t) == nil or lists[getmetatable(t)] == true end

local function list_of(t)
  if next(t) == nil then
    return host.empty_list()
  end
  return t
end

function map(t, f)
  want_table("map", t)
  f = getter("map", f)
  local out = {}
  if is_list(t) then
    for i = 1, #t do
      local v = f(t[i], i)
      if v == nil then v = null end
      out[i] = v
    end
    return list_of(out)
  end
  for k, v in pairs(t) do out[k] = f(v, k) end
  return out
end
host.doc("map(t, f)", "new table of f(item, key) for each item; f may be a field name")

function filter(t, f)
  want_table("filter", t)
  f = optional("filter", f)
  local out = {}
  if is_list(t) then
    local n = 0
    for i = 1, #t do
      if f(t[i], i) then
        n = n + 1
        out[n] = t[i]
      end
    end
    return list_of(out)
  end
  for k, v in pairs(t) do
    if f(v, k) then out[k] = v end
  end
  return out
end
host.doc("filter(t, f)", "the items for which f(item, key) is true")

function reject(t, f)
  want_table("reject", t)
  f = getter("reject", f)
  return filter(t, function(v, k) return not f(v, k) end)
end
host.doc("reject(t, f)", "the items for which f(item, key) is false")

function reduce(t, f, start)
  want_table("reduce", t)
  if not callable(f) then
    fail("reduce: the second argument must be a function(so_far, item), got " .. type(f))
  end
  local value = start
  for k, v in pairs(t) do
    if value == nil then value = v else value = f(value, v, k) end
  end
  return value
end
host.doc("reduce(t, f, start)", "f(so_far, item) over all items, from start")

function each(t, f)
  want_table("each", t)
  for k, v in pairs(t) do f(v, k) end
  return t
end
host.doc("each(t, f)", "calls f(item, key) for each item")

function keys(t)
  want_table("keys", t)
  local out, n = {}, 0
  for k in pairs(t) do
    n = n + 1
    out[n] = k
  end
  return list_of(out)
end
host.doc("keys(t)", "sorted list of the keys")

function values(t)
  want_table("values", t)
  local out, n = {}, 0
  for _, v in pairs(t) do
    n = n + 1
    out[n] = v
  end
  return list_of(out)
end
host.doc("values(t)", "list of the values, in key order")

function find(t, f)
  want_table("find", t)
  f = getter("find", f)
  for k, v in pairs(t) do
    if f(v, k) then return v, k end
  end
  return nil
end
host.doc("find(t, f)", "the first item for which f(item, key) is true, and its key")

function any(t, f)
  want_table("any", t)
  f = optional("any", f)
  for k, v in pairs(t) do
    if f(v, k) then return true end
  end
  return false
end
host.doc("any(t, f)", "whether f(item) is true for any item")

function all(t, f)
  want_table("all", t)
  f = optional("all", f)
  for k, v in pairs(t) do
    if not f(v, k) then return false end
  end
  return true
end
host.doc("all(t, f)", "whether f(item) is true for every item")

function count(t, f)
  want_table("count", t)
  f = f == nil and function() return true end or getter("count", f)
  local n = 0
  for k, v in pairs(t) do
    if f(v, k) then n = n + 1 end
  end
  return n
end
host.doc("count(t, f)", "number of items, or of those for which f(item) is true")

function sum(t, f)
  want_table("sum", t)
  f = optional("sum", f)
  local total = 0
  for k, v in pairs(t) do
    local n = f(v, k)
    if n then
      if type(n) ~= "number" then fail("sum: item " .. tostring(k) .. " is a " .. type(n)) end
      total = total + n
    end
  end
  return total
end
host.doc("sum(t, f)", "the sum of the items, or of f(item); nil and null count as 0")

-- orders mixed values: by type, then by value, missing ones last
local function before(a, b)
  local missing_a, missing_b = a == nil or a == null, b == nil or b == null
  if missing_a or missing_b then return missing_b and not missing_a end
  local ta, tb = type(a), type(b)
  if ta ~= tb then return ta < tb end
  if ta == "number" or ta == "string" then return a < b end
  return tostring(a) < tostring(b)
end

function sort_by(t, f, descending)
  want_table("sort_by", t)
  f = optional("sort_by", f)
  local keys, n = {}, #t
  for i = 1, n do
    local key = f(t[i], i)
    if key == nil then key = null end
    keys[i] = key
  end
  local order, out = host.rank(keys, n, descending), {}
  for i = 1, n do out[i] = t[order[i]] end
  return list_of(out)
end
host.doc("sort_by(list, f, descending)", "new list sorted by f(item) or a field name; equal items keep their order")

-- the item whose key is better than those before it
local function best_by(t, f, better)
  local best, best_key
  for k, v in pairs(t) do
    local key = f(v, k)
    if key ~= nil and key ~= null and (best_key == nil or better(key, best_key)) then best, best_key = v, key end
  end
  return best
end

function max_by(t, f)
  want_table("max_by", t)
  return best_by(t, optional("max_by", f), function(a, b) return before(b, a) end)
end
host.doc("max_by(t, f)", "the item with the largest f(item)")

function min_by(t, f)
  want_table("min_by", t)
  return best_by(t, optional("min_by", f), before)
end
host.doc("min_by(t, f)", "the item with the smallest f(item)")

function group_by(t, f)
  want_table("group_by", t)
  f = getter("group_by", f)
  local out = {}
  for k, v in pairs(t) do
    local key = f(v, k)
    if key == nil then key = null end
    local group = out[key]
    if group == nil then
      group = {}
      put(out, key, group)
    end
    group[#group + 1] = v
  end
  return out
end
host.doc("group_by(t, f)", "table from f(item) to the list of its items")

function index_by(t, f)
  want_table("index_by", t)
  f = getter("index_by", f)
  local out = {}
  for k, v in pairs(t) do
    local key = f(v, k)
    if key ~= nil then put(out, key, v) end
  end
  return out
end
host.doc("index_by(t, f)", "table from f(item) to the item; the last one wins")

function count_by(t, f)
  want_table("count_by", t)
  f = optional("count_by", f)
  local out = {}
  for k, v in pairs(t) do
    local key = f(v, k)
    if key == nil then key = null end
    put(out, key, (out[key] or 0) + 1)
  end
  return out
end
host.doc("count_by(t, f)", "table from f(item) to its number of items")

function zip(a, b)
  want_table("zip", a)
  if type(b) ~= "table" then fail("zip: the second argument must be a table, got " .. type(b)) end
  local out = {}
  for i = 1, #a < #b and #a or #b do out[i] = { a[i], b[i] } end
  return list_of(out)
end
host.doc("zip(a, b)", "list of pairs {a[i], b[i]}")

function flatten(t)
  want_table("flatten", t)
  local out, n = {}, 0
  for i = 1, #t do
    local v = t[i]
    if type(v) == "table" and is_list(v) then
      for j = 1, #v do
        n = n + 1
        out[n] = v[j]
      end
    else
      n = n + 1
      out[n] = v
    end
  end
  return list_of(out)
end
host.doc("flatten(list)", "one list of all items, one level deep")

function flat_map(t, f) return flatten(map(t, f)) end
host.doc("flat_map(t, f)", "flatten(map(t, f))")

function uniq(t, f)
  want_table("uniq", t)
  f = optional("uniq", f)
  local seen, out, n = {}, {}, 0
  for i = 1, #t do
    local key = f(t[i], i)
    if key == nil then key = null end
    if seen[key] == nil then
      put(seen, key, true)
      n = n + 1
      out[n] = t[i]
    end
  end
  return list_of(out)
end
host.doc("uniq(list, f)", "the list without items that repeat an f(item)")

function slice(t, from, to)
  want_table("slice", t)
  local size = #t
  from = from == nil and 1 or want_count("slice", from)
  to = to == nil and size or want_count("slice", to)
  if from < 0 then from = size + from + 1 end
  if to < 0 then to = size + to + 1 end
  if from < 1 then from = 1 end
  if to > size then to = size end
  local out, n = {}, 0
  for i = from, to do
    n = n + 1
    out[n] = t[i]
  end
  return list_of(out)
end
host.doc("slice(list, from, to)", "the items between two positions; negative ones count from the end")

function take(t, n) return slice(t, 1, n == nil and 1 or n < 0 and 0 or n) end
host.doc("take(list, n)", "the first n items")

function range(from, to, step)
  from = want_count("range", from)
  if to == nil then from, to = 1, from end
  to = want_count("range", to)
  step = step == nil and 1 or want_count("range", step)
  if step == 0 then fail("range: the step is zero") end
  local out, n = {}, 0
  for i = from, to, step do
    n = n + 1
    out[n] = i
  end
  return list_of(out)
end
host.doc("range(from, to, step)", "list of numbers; range(n) counts from 1 to n")

function pick(t, ...)
  want_table("pick", t)
  local names = { ... }
  if type(names[1]) == "table" then names = names[1] end
  local function cut(row)
    local out = {}
    for _, name in ipairs(names) do out[name] = row[name] end
    return out
  end
  if #t > 0 then return map(t, cut) end
  return cut(t)
end
host.doc("pick(t, names...)", "only these fields, of a table or each row of a list")

function omit(t, ...)
  want_table("omit", t)
  local names = { ... }
  if type(names[1]) == "table" then names = names[1] end
  local drop = {}
  for _, name in ipairs(names) do drop[name] = true end
  local function cut(row)
    local out = {}
    for k, v in pairs(row) do
      if not drop[k] then out[k] = v end
    end
    return out
  end
  if #t > 0 then return map(t, cut) end
  return cut(t)
end
host.doc("omit(t, names...)", "all but these fields, of a table or each row of a list")

function merge(...)
  local out = {}
  for i, t in ipairs({ ... }) do
    want_table("merge", t)
    for k, v in pairs(t) do put(out, k, v) end
  end
  return out
end
host.doc("merge(tables...)", "new table with all their fields; later ones win")

function copy(t)
  local done = {}
  local function go(v)
    if type(v) ~= "table" then return v end
    if done[v] then return done[v] end
    local out = {}
    done[v] = out
    for k, item in pairs(v) do put(out, k, go(item)) end
    return out
  end
  return go(t)
end
host.doc("copy(t)", "deep copy of a table, without metatables")

function equal(a, b)
  if a == b then return true end
  if type(a) ~= "table" or type(b) ~= "table" then return false end
  for k, v in pairs(a) do
    if not equal(v, b[k]) then return false end
  end
  for k in pairs(b) do
    if a[k] == nil then return false end
  end
  return true
end
host.doc("equal(a, b)", "whether two values are equal; tables by content")

function matches(text, pattern) return host.matches(text, pattern) end
host.doc("matches(text, pattern)", "whether the text has what a regular expression (RE2) describes")

function jsonpath(data, path) return host.jsonpath(data, path) end
host.doc("jsonpath(data, path)", "a list of what a JSONPath (RFC 9535) selects")

function try(f, ...)
  local ok, value = pcall(f, ...)
  if ok then return value end
  return nil, value
end
host.doc("try(f, ...)", "f(...), or nil and the error")
