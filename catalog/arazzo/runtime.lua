-- This is the body of each workflow, behind a table W that is made of the document.
local current, steps = nil, {}

local function fail(text) error(text, 0) end

local function part(v, name)
  if type(v) == "unknown" then return v[name] end
  if type(v) ~= "table" then return nil end
  if v[name] ~= nil then return v[name] end
  local n = tonumber(name)
  if n and n % 1 == 0 and n >= 0 then return v[n + 1] end
end

local function below(v, names)
  for _, name in ipairs(names or {}) do v = part(v, name) end
  return v
end

local function expression(e)
  local v
  if e.root == "inputs" then
    v = args
  elseif e.root == "steps" then
    v = steps[e.step]
  elseif e.root == "statusCode" then
    return current and current.status
  elseif e.root == "body" then
    v = current and current.result
  end
  return below(below(v, e.names), e.pointer)
end

local function value(v)
  if v.e then return below(expression(v.e), v.get) end
  if v.lit ~= nil then return v.lit end
  if v.cat then
    local out = {}
    for _, p in ipairs(v.cat) do
      local item = value(p)
      if item == nil or item == null then fail(W.id .. ": " .. (p.e and p.e.text or "a part of a text") .. " has no value") end
      if type(item) == "unknown" then return item end
      if type(item) == "table" then item = json.encode(item) end
      out[#out + 1] = tostring(item)
    end
    return table.concat(out)
  end
  local out = {}
  if v.list then
    for i, item in ipairs(v.list) do
      out[i] = value(item)
      if out[i] == nil then out[i] = null end
    end
  end
  for name, item in pairs(v.map or {}) do out[name] = value(item) end
  return out
end

local function same(a, b)
  if a == null then a = nil end
  if b == null then b = nil end
  if type(a) == "string" and type(b) == "string" then return a:lower() == b:lower() end
  return a == b
end

-- In a preview what only a real run gives counts as what the workflow hopes for.
local function holds(c)
  if c.op == "and" then return holds(c.a) and holds(c.b) end
  if c.op == "or" then return holds(c.a) or holds(c.b) end
  if c.op == "not" then return type(c.a.e and value(c.a)) == "unknown" or not holds(c.a) end
  if c.op == "matches" then
    local text = value(c.a)
    if type(text) == "unknown" then return true end
    return text ~= nil and text ~= null and type(text) ~= "table" and matches(tostring(text), c.pattern)
  end
  if c.op == "path" then
    local data = value(c.a)
    if type(data) == "unknown" then return true end
    if type(data) ~= "table" then return false end
    local found = jsonpath(data, c.path)
    return #found > 0 and not (#found == 1 and (found[1] == false or found[1] == null))
  end
  if not c.op then
    local v = value(c)
    return v ~= nil and v ~= null and v ~= false
  end
  local a, b = value(c.a), value(c.b)
  if type(a) == "unknown" or type(b) == "unknown" then return true end
  if current and current.ok and current.status == nil and (c.a.e and c.a.e.root == "statusCode") then
    if c.op == "==" then return b >= 200 and b < 300 end
    a = 200 -- it succeeded, and no more is known
  end
  if c.op == "==" then return same(a, b) end
  if c.op == "!=" then return not same(a, b) end
  if type(a) ~= type(b) or type(a) ~= "number" and type(a) ~= "string" then return false end
  if c.op == "<" then return a < b end
  if c.op == "<=" then return a <= b end
  if c.op == ">" then return a > b end
  return a >= b
end

local function all_hold(criteria)
  for _, c in ipairs(criteria or {}) do
    if not holds(c) then return false, c.text end
  end
  return true
end

local function outputs(from)
  local out = {}
  for name, v in pairs(from or {}) do out[name] = value(v) end
  return out
end

local function given(s)
  local out = {}
  for _, p in ipairs(s.parameters) do out[p.argument] = value(p.value) end
  if s.body then
    local body = value(s.body)
    for _, r in ipairs(s.replacements or {}) do
      local at, last = body, r.pointer[#r.pointer]
      for i = 1, #r.pointer - 1 do at = part(at, r.pointer[i]) end
      if type(at) ~= "table" then fail(W.id .. ": step " .. s.id .. ": " .. r.text .. " is not in the payload") end
      local n = tonumber(last)
      if at[last] == nil and n and #at > 0 then last = n + 1 end
      at[last] = value(r.value)
    end
    if s.whole then
      out[s.whole] = body
    elseif type(body) ~= "table" then
      fail(W.id .. ": step " .. s.id .. ": the payload is not a table")
    else
      for name, v in pairs(body) do
        local argument = s.fields[name] or s.open and name
        if not argument then fail(W.id .. ": step " .. s.id .. ": the payload has " .. tostring(name) .. ", which the request has not") end
        out[argument] = v
      end
    end
  end
  return out
end

local place = {}
for i, s in ipairs(W.steps) do place[s.id] = i end
local i, done, tries, pause = 1, 0, {}, nil
while i <= #W.steps do
  local s = W.steps[i]
  done = done + 1
  if done > W.most then fail(W.id .. ": more than " .. W.most .. " steps: it seems to have no end") end
  local arguments = given(s)
  current = attempt(s.action, arguments, pause)
  pause = nil
  local ok, why = current.ok, current.error
  if s.criteria then
    local unmet
    ok, unmet = all_hold(s.criteria)
    why = not ok and ("the criterion " .. tostring(unmet) .. " is not met" .. (why and "; " .. why or "")) or nil
  end
  if ok then steps[s.id] = {outputs = outputs(s.outputs)} end
  local go
  for n, a in ipairs(ok and s.success or s.failure or {}) do
    if not go and all_hold(a.criteria) then
      local key = s.id .. " " .. n
      if a.type ~= "retry" then
        go = a
      elseif (tries[key] or 0) < a.limit then
        tries[key], go, pause = (tries[key] or 0) + 1, a, a.after
      end
    end
  end
  if go and go.type == "end" then
    if not ok then fail(W.id .. ": step " .. s.id .. ": " .. tostring(why) .. "; the workflow ends there") end
    break
  elseif go and go.workflow then
    return call(W.flows[go.workflow], {})
  elseif go and go.step then
    i = place[go.step]
  elseif not go and not ok then
    fail(W.id .. ": step " .. s.id .. ": " .. tostring(why))
  elseif not go then
    i = i + 1
  end
end
return outputs(W.outputs)
