-- Calls that are composed of others: started and awaited, compensated, one after another.
local host = ...
local type, ipairs, next, select, unpack = type, ipairs, next, select, table.unpack
local setmetatable, getmetatable, error = setmetatable, getmetatable, error
local resume, status, current, yield = coroutine.resume, coroutine.status, coroutine.running, coroutine.yield
local fail, callable, shared = host.fail, host.callable, host.shared

local handle_meta = {}
function handle_meta.__tostring(h) return "<call of " .. h.id .. ": " .. h.status .. ">" end

local function handle(name, h)
  if type(h) ~= "table" or getmetatable(h) ~= handle_meta then
    fail(name .. " takes what async returned, got " .. type(h))
  end
  return h
end

-- the id in an action or a text
local function id_of(name, action)
  local what = type(action)
  if what ~= "action" and what ~= "string" then
    fail(name .. " takes an action and its arguments: " .. name .. "(crm.customer.get, {customer_id = 1}), got " .. what)
  end
  return host.id(action)
end

function async(action, args)
  local h = setmetatable({ id = id_of("async", action), status = "running" }, handle_meta)
  local run = shared()
  local worker = host.worker(function() return call(action, args) end, true)
  local function go_on()
    run.calling[worker] = nil
    local ok, value = resume(worker)
    if status(worker) ~= "dead" then
      run.calling[worker] = go_on
      return
    end
    run.live[h] = nil
    if h.status == "running" then
      if ok then
        h.status, h.result = "done", value
      else
        h.status, h.error = "failed", value
        run.failed[#run.failed + 1] = h
      end
    end
    local waiting = h.waiting
    h.waiting = nil
    for _, waiter in ipairs(waiting or {}) do
      if run.parked[waiter] then run.parked[waiter]() end
    end
  end
  run.live[h] = worker
  local scope = host.innermost(run)
  if scope then scope[#scope + 1] = h end
  go_on()
  return h
end
host.doc("async(action, args)", "starts a call and goes on; await(handle) returns its result")

-- ended waits until the call of a handle has ended.
local function ended(h)
  local run = shared()
  if h.status == "running" and not run.live[h] then
    fail("await: " .. h.id .. " was started by an earlier run, which ended before it")
  end
  local me = run.workers[current()]
  while run.live[h] do
    if me then
      h.waiting = h.waiting or {}
      h.waiting[#h.waiting + 1] = me
      run.parked[me] = true
      yield()
    else
      run.calling[host.wait()]()
    end
  end
end

-- outcome is whether the call of a handle went well, and its result or error; from then on its error is known.
local function outcome(h)
  if h.status ~= "cancelled" then ended(h) end
  h.known = true
  if h.status == "done" then return true, h.result end
  return false, h.error
end

function await(...)
  local n, list = select("#", ...), { ... }
  if n == 1 and type(list[1]) == "table" and getmetatable(list[1]) ~= handle_meta then
    local results, errors = host.empty_list(), {}
    for i, h in ipairs(list[1]) do
      local ok, value = outcome(handle("await", h))
      results[i] = null
      if not ok then errors[i] = value elseif value ~= nil then results[i] = value end
    end
    if next(errors) == nil then return results end
    return results, errors
  end
  local failed, problem = false, nil
  for i = 1, n do
    local ok, value = outcome(handle("await", list[i]))
    if ok then
      list[i] = value
    elseif not failed then
      failed, problem = true, value
    end
  end
  if failed then error(problem, 0) end
  return unpack(list, 1, n)
end
host.doc("await(handle, ...)", "waits for calls of async: their results, or the first error; of a list as parallel does")

function cancel(h)
  local worker = shared().live[handle("cancel", h)]
  if not worker or h.status ~= "running" then return false end
  h.status, h.error = "cancelled", host.cancel(worker)
  return true
end
host.doc("cancel(handle)", "gives up a call of async; whether it was still running. A write may have been made")

function with_compensation(fn)
  if not callable(fn) then
    fail("with_compensation takes a function, got " .. type(fn))
  end
  local run, co, mine = shared(), current(), {}
  local scopes, key = run.scopes, run.workers[co] and co or "last"
  local outer = scopes[key]
  local n = host.scope()
  scopes[key] = mine
  local function finish(ok, ...)
    scopes[key] = outer
    local problem = ...
    for _, h in ipairs(mine) do
      ended(h)
      if ok and h.status == "failed" and not h.known then
        ok, problem = false, h.error
      end
      h.known = true
    end
    if ok then
      host.keep(n)
      return ...
    end
    host.compensate(n)
    error(problem, 0)
  end
  return finish(host.try(fn))
end
host.doc("with_compensation(fn)", "fn(); where it fails, what it wrote is taken back, the last first, by the calls that the actions declare")

function chain(steps)
  if type(steps) ~= "table" or #steps == 0 then
    fail("chain takes a list of steps: chain{{crm.customer.get, {customer_id = 1}}, billing.invoice.list}")
  end
  local ids, args = {}, {}
  for i, step in ipairs(steps) do
    local action, given = step, {}
    if type(step) == "table" then
      action = step[1]
      if step[2] ~= nil then given = step[2] end
    end
    local what = type(action)
    if what ~= "action" and what ~= "string" then
      fail("chain: step " .. i .. " must be an action, {action, arguments} or {action, function}")
    end
    ids[i], args[i] = host.id(action), given
  end
  local answers, results, result = host.chain(ids, args), host.empty_list(), nil
  for i, id in ipairs(ids) do
    local given = args[i]
    local takes = answers[i].takes
    if answers[i].name then given = { [answers[i].name] = given } end
    if type(given) == "table" then
      given = merge(given)
      if type(result) == "table" or type(result) == "unknown" then
        for _, name in ipairs(takes) do
          if type(result[name]) ~= "null" then given[name] = result[name] end
        end
      end
    else
      given = given(result)
      if type(given) ~= "table" then
        fail("chain: the function of step " .. i .. " must return a table of arguments, got " .. type(given))
      end
    end
    result = host.step(i, id, given)
    results[i] = result
    if result == nil then results[i] = null end
  end
  return result, results
end
host.doc("chain(steps)", "calls actions one after another; each takes the fields of its arguments' names from the result before: action, {action, args} or {action, fn}")

-- What nobody awaited ends with the run, and so does its error.
host.at_end(function()
  local run = shared()
  while next(run.live) do ended((next(run.live))) end
  for _, h in ipairs(run.failed) do
    if not h.known then error(h.error, 0) end
  end
end)
