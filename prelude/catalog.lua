-- The catalog primitives. The host does the work; a set here is a table whose list part holds the hits and whose field
-- `set` is the host's handle. tostring of a set, step or plan lists its lines. In a model's script the list part starts
-- empty: the host supplies each hit on first access, up to the run's reading limit.
local host = ...
local type, ipairs, pairs, setmetatable, tostring, pcall = type, ipairs, pairs, setmetatable, tostring, pcall
local next, rawget, rawset, rawlen = next, rawget, rawset, rawlen
local concat, insert = table.concat, table.insert
local op, fail = host.op, host.fail

catalog = {}

local function want(name, what, value, kind)
  if type(value) ~= kind then
    local got = type(value)
    if got == "action" then got = "an action (did you mean its id in quotes?)" end
    fail("catalog." .. name .. ": " .. what .. " must be a " .. kind .. ", got " .. got)
  end
end

local function options(name, opts)
  if opts == nil or opts == null then return {} end
  want(name, "the options", opts, "table")
  if #opts > 0 then
    fail("catalog." .. name .. ": options are named: {limit = 10}, not a list")
  end
  return opts
end

local function hit_lines(t, head)
  local out = { head }
  for _, hit in ipairs(t) do
    if type(hit) == "table" then hit = hit.line or hit.id end
    insert(out, hit)
  end
  return concat(out, "\n")
end

-- the host's text of a set, step or plan; nil for a handle of an earlier run, which has expired
local function host_text(handle)
  local ok, text = pcall(op, "catalog.text", handle)
  if ok and type(text) == "string" then return text end
end

local function set_text(s)
  local text = host_text({ set = s.set })
  if text then return text end
  local head = "complete (" .. #s .. ")"
  if s.total and s.total > #s then head = #s .. " of " .. s.total .. " shown" end
  return hit_lines(s, head)
end

local set_meta = { __metatable = "set", __tostring = set_text }

-- The metatable of a list whose hits the host supplies one by one. The list's field `kind` is the host's handle; `field`
-- is the field of each hit that the list holds, nil for whole hits. A list of an earlier run keeps what was read.
local function lazy_meta(name, kind, field)
  local meta = { __metatable = name }
  local function ask(list, what, i)
    local ok, answer = pcall(op, what, { [kind] = rawget(list, kind) }, i)
    if ok then return answer end
  end
  function meta.__index(list, i)
    if type(i) ~= "number" then return nil end
    local hit = ask(list, "catalog.hit", i)
    if hit and field then hit = hit[field] end
    if hit then rawset(list, i, hit) end
    return hit
  end
  function meta.__len(list) return ask(list, "catalog.count") or rawlen(list) end
  local function following(list, i)
    local hit = list[i + 1]
    if hit then return i + 1, hit end
  end
  function meta.__ipairs(list) return following, list, 0 end
  function meta.__pairs(list)
    local i, k = 0, nil
    return function()
      if i then
        local hit
        i, hit = following(list, i)
        if i then return i, hit end
      end
      repeat k = next(list, k) until type(k) ~= "number"
      if k ~= nil then return k, rawget(list, k) end
    end
  end
  return meta
end

local lazy_set_meta = lazy_meta("set", "set")
lazy_set_meta.__tostring = set_text
local hits_meta, ids_meta = lazy_meta("hits", "step"), lazy_meta("ids", "plan", "id")

local step_meta = {
  __metatable = "step",
  __tostring = function(s)
    local text = host_text({ step = s.step })
    if text then return text end
    local head = "step"
    if s.needs_input then head = head .. " from " .. tostring(s.needs_input) end
    if s.needs_output then head = head .. " to " .. tostring(s.needs_output) end
    return hit_lines(s.hits or {}, head)
  end,
}

local plan_meta = {
  __metatable = "plan",
  __tostring = function(p)
    return host_text({ plan = p.plan }) or hit_lines(p.ids or {}, "plan")
  end,
}

local function as_step(answer)
  if not answer.hits then answer.hits = setmetatable({ step = answer.step }, hits_meta) end
  return setmetatable(answer, step_meta)
end

local function as_set(answer)
  if not answer.hits then return setmetatable(answer, lazy_set_meta) end
  local s = {}
  for i, hit in ipairs(answer.hits) do s[i] = hit end
  for k, v in pairs(answer) do
    if k ~= "hits" then s[k] = v end
  end
  return setmetatable(s, set_meta)
end

-- a set as the host accepts it: its handle, or the ids of a plain list
local function handle(name, s)
  if type(s) ~= "table" then
    fail("catalog." .. name .. ": want a set (from catalog.search), got " .. type(s))
  end
  if s.set then return { set = s.set } end
  if s.step and not s.hits then return { step = s.step } end
  local ids = {}
  for i, item in ipairs(s) do
    if type(item) == "table" then item = item.id end
    if type(item) ~= "string" then
      fail("catalog." .. name .. ": item " .. i .. " of the list is neither a hit nor an id")
    end
    ids[i] = item
  end
  if #ids == 0 and next(s) ~= nil then
    fail("catalog." .. name .. ": this table is not a set")
  end
  return { ids = json.array(ids) }
end

function catalog.search(query, opts)
  want("search", "the query", query, "string")
  return as_set(op("catalog.search", query, options("search", opts)))
end
host.doc("catalog.search(query, opts)", "ranked set; opts: domains, tags, entities, operation, mutates, include_mutations, needs_input, needs_output, risk, limit")

for name, what in pairs({
  namespace = "in these namespaces",
  tags = "with any of these tags",
  entities = "about any of these entities",
  inputs = "with any of these inputs",
  outputs = "with any of these outputs",
}) do
  catalog[name] = function(...)
    local names = {}
    for i, item in ipairs({ ... }) do
      if type(item) == "table" then
        if #item == 0 and next(item) ~= nil then
          fail("catalog." .. name .. ": takes names, not options; use catalog.top(set, n) or catalog.filter(set, opts) on its result")
        end
        for _, inner in ipairs(item) do
          want(name, "a name", inner, "string")
          insert(names, inner)
        end
      else
        want(name, "a name", item, "string")
        insert(names, item)
      end
    end
    if #names == 0 then fail("catalog." .. name .. ": want at least one name") end
    return as_set(op("catalog." .. name, names))
  end
  host.doc("catalog." .. name .. "(names...)", "set of all actions " .. what)
end

function catalog.filter(s, opts)
  return as_set(op("catalog.filter", handle("filter", s), options("filter", opts)))
end
host.doc("catalog.filter(set, opts)", "the hits that match opts, as for search")

local function fold(name)
  return function(first, ...)
    local s = first
    local others = { ... }
    if #others == 0 then fail("catalog." .. name .. ": want two sets") end
    for _, other in ipairs(others) do
      s = as_set(op("catalog." .. name, handle(name, s), handle(name, other)))
    end
    return s
  end
end
catalog.intersect = fold("intersect")
host.doc("catalog.intersect(a, b)", "the hits in both sets")
catalog.union = fold("union")
host.doc("catalog.union(a, b)", "the hits in either set")

function catalog.boost(s, opts)
  return as_set(op("catalog.boost", handle("boost", s), options("boost", opts)))
end
host.doc("catalog.boost(set, opts)", "the set with the scores of hits that match opts multiplied by opts.by")

function catalog.top(s, n)
  if n == nil then n = 10 end
  want("top", "the number", n, "number")
  return as_set(op("catalog.top", handle("top", s), n))
end
host.doc("catalog.top(set, n)", "the best n hits")

local facets_meta = {
  __metatable = "facets",
  __tostring = function(f) return f.text or "facets" end,
}

function catalog.facets(s)
  return setmetatable(op("catalog.facets", handle("facets", s)), facets_meta)
end
host.doc("catalog.facets(set)", "counts per facet: lists of {name, count} in domains, namespaces, tags, categories, entities, operations, risks, inputs, outputs")

function catalog.pick(s, opts)
  return as_step(op("catalog.pick", handle("pick", s), options("pick", opts)))
end
host.doc("catalog.pick(set, opts)", "one plan step: the best hits with needs_input and needs_output")

function catalog.plan(steps, ...)
  want("plan", "the argument", steps, "table")
  local opts = {}
  local function take(more)
    for k, v in pairs(more) do
      if type(k) ~= "number" then opts[tostring(k)] = v end
    end
  end
  local function is_step(t) return type(t) == "table" and (t.step or t.set) end
  if is_step(steps) then
    steps = { steps, ... }
    local last = steps[#steps]
    if type(last) == "table" and not is_step(last) and #last == 0 then
      take(last)
      steps[#steps] = nil
    end
  else
    take(steps)
    take(options("plan", (...)))
  end
  local handles = {}
  for i, step in ipairs(steps) do
    if not is_step(step) then
      if type(step) == "string" then
        fail('catalog.plan: item ' .. i .. ' is an id: catalog.pick({"' .. step .. '"}) makes it a step')
      end
      fail("catalog.plan: item " .. i .. " is not a step (from catalog.pick)")
    end
    handles[i] = { step = step.step or catalog.pick(step).step }
  end
  if #handles == 0 then fail("catalog.plan: want a list of steps: catalog.plan({ catalog.pick(set, {...}) })") end
  local plan = op("catalog.plan", handles, opts)
  for _, step in ipairs(plan.steps) do as_step(step) end
  if not plan.ids then plan.ids = setmetatable({ plan = plan.plan }, ids_meta) end
  return setmetatable(plan, plan_meta)
end
host.doc("catalog.plan(steps, opts)", "a plan of these steps; opts.given: inputs from the user; return it from a query")

function catalog.explain(id, query)
  want("explain", "the id", id, "string")
  want("explain", "the query", query, "string")
  return op("catalog.explain", id, query)
end
host.doc("catalog.explain(id, query)", "why the action ranks where it does for a query")

function catalog.get(id)
  want("get", "the id", id, "string")
  return op("catalog.get", id)
end
host.doc("catalog.get(id)", "the hit for one id")

function catalog.describe(ids, ...)
  if type(ids) ~= "table" then ids = { ids, ... } end
  local list = {}
  for i, id in ipairs(ids) do
    if type(id) == "table" then id = id.id end
    want("describe", "an id", id, "string")
    list[i] = id
  end
  if #list == 0 then fail("catalog.describe: want at least one id") end
  local specs = op("catalog.describe", list)
  return setmetatable(specs, {
    __tostring = function(t)
      local out = {}
      for i, spec in ipairs(t) do out[i] = spec.text end
      return concat(out, "\n\n")
    end,
  })
end
host.doc("catalog.describe(ids...)", "arguments, result and example of a few actions")
