-- Concurrent calls and paged results.
local host = ...
local type, ipairs, pairs, next = type, ipairs, pairs, next
local resume, status, current, yield = coroutine.resume, coroutine.status, coroutine.running, coroutine.yield
local fail, callable = host.fail, host.callable
local equal, pcall = equal, pcall

-- how many calls of one script run at a time
local LIMIT = 8

-- shared is what the workers of a run have in common. Whoever waits for the host resumes any worker whose answer is in.
function host.shared()
  local run = host.run()
  if not run.workers then
    -- The function that resumes a worker, by worker: of workers whose call is running, and of those that themselves wait
    -- for workers.
    run.calling, run.parked = {}, {}
    -- every live worker of parallel
    run.workers = {}
    -- the worker of each started call that has not ended, by its handle, and the handles of those that failed
    run.live, run.failed = {}, {}
    -- the handles of the calls that a with_compensation has started, by its worker, "last" elsewhere
    run.scopes = {}
  end
  return run
end
local shared = host.shared

-- innermost is the with_compensation that the running code is in, nil where it is in none.
function host.innermost(run)
  local co = current()
  return run.scopes[run.workers[co] and co or "last"]
end

function parallel(list, fn)
  if type(list) ~= "table" then
    fail("parallel: the first argument must be a list, got " .. type(list))
  end
  if not callable(fn) then
    fail("parallel: the second argument must be a function, got " .. type(fn))
  end
  if #list == 0 and next(list) ~= nil then
    fail("parallel: the first argument must be a list, got a table with named fields; keys(t) makes a list")
  end
  local run = shared()
  local calling, parked, workers, scopes = run.calling, run.parked, run.workers, run.scopes
  local me, scope = workers[current()], host.innermost(run)
  local results, errors = host.empty_list(), {}
  local count, begun, running = #list, 0, 0
  local lone = type(fn) == "action" -- it takes the item and nothing else

  local function go_on(i, worker)
    local ok, value = resume(worker)
    if status(worker) == "dead" then
      workers[worker], scopes[worker] = nil, nil
      if ok and value ~= nil then
        results[i] = value
      else
        results[i] = null
        if not ok then errors[i] = value end
      end
      return
    end
    local waiting = calling
    if not host.waits(worker) then
      waiting = parked
      if parked[worker] ~= true then fail("parallel: the function must not yield") end
    end
    running = running + 1
    waiting[worker] = function()
      waiting[worker] = nil
      running = running - 1
      go_on(i, worker)
      if me and parked[me] then parked[me]() end
    end
  end

  while begun < count or running > 0 do
    while begun < count and running < LIMIT do
      begun = begun + 1
      local i = begun
      results[i] = null
      local worker = host.worker(function()
        if lone then return fn(list[i]) end
        return fn(list[i], i)
      end)
      workers[worker], scopes[worker] = worker, scope
      go_on(i, worker)
    end
    if running > 0 then
      if me then
        parked[me] = true
        yield()
      else
        calling[host.wait()]()
      end
    end
  end
  if next(errors) == nil then return results end
  return results, errors
end
host.doc("parallel(list, fn)", "fn(item, i) for each item, action calls concurrent (8 at a time); results in order, then any errors by index")

function batch(calls)
  if type(calls) ~= "table" then
    fail("batch takes a list of calls: batch{{crm.customer.get, {customer_id = 1}}, ...}, got " .. type(calls))
  end
  for i, item in ipairs(calls) do
    local what = type(item) == "table" and type(item[1])
    if what ~= "action" and what ~= "string" then
      fail("batch: item " .. i .. " must be {action, arguments}: {crm.customer.get, {customer_id = 1}}")
    end
  end
  return parallel(calls, function(item) return call(item[1], item[2]) end)
end
host.doc("batch(calls)", "makes calls {action, arguments} concurrently; results in order, then any errors by index")

-- the only list among the fields of a page
local function rows_of(page, field)
  if type(page) ~= "table" then
    fail("paginate: the action returns a " .. type(page) .. ", not a page of rows")
  end
  if field ~= nil then
    if type(page[field]) ~= "table" then
      fail("paginate: the page has no list " .. repr(field))
    end
    return page[field]
  end
  if #page > 0 or next(page) == nil then return page end
  local found, name
  for k, v in pairs(page) do
    if type(v) == "table" and (#v > 0 or next(v) == nil) then
      if found then
        fail("paginate: the page has the lists " .. repr(name) .. " and " .. repr(k) .. ": choose one with {rows = " .. repr(k) .. "}")
      end
      found, name = v, k
    end
  end
  if not found then fail("paginate: the page has no list of rows") end
  return found
end

local function count_of(name, n, standard)
  if n == nil then return standard end
  if type(n) ~= "number" or n < 1 or n % 1 ~= 0 then
    fail("paginate: " .. name .. " must be an integer of at least 1, got " .. repr(n))
  end
  return n
end

function attempt(action, args, after)
  if after then host.pause(after) end
  local ok, result, _, _, status = pcall(host.page, action, args or {})
  if ok then return {ok = true, status = status, result = result} end
  local text = type(result) == "table" and result.message or tostring(result)
  return {ok = false, status = tonumber((tostring(text):match(": (%d%d%d) "))), error = text}
end
host.doc("attempt(action, args, after)", "how a call went: {ok, result, status, error}, with the status of an HTTP answer; after a pause in seconds")

function paginate(action, args, opts)
  if type(action) ~= "action" and type(action) ~= "string" then
    fail("paginate(action, args, opts) takes an action: paginate(crm.customer.list, {}, {max = 500})")
  end
  args, opts = args or {}, opts or {}
  if type(args) ~= "table" or type(opts) ~= "table" then
    fail("paginate(action, args, opts) takes tables: paginate(crm.customer.list, {}, {max = 500})")
  end
  for k in pairs(opts) do
    if k ~= "max" and k ~= "pages" and k ~= "rows" then
      fail("paginate: unknown option " .. repr(k) .. "; it takes max, pages and rows")
    end
  end
  local max, pages = count_of("max", opts.max, 1000), count_of("pages", opts.pages, 40)
  local rows, asked = host.empty_list(), merge(args)
  local try, last = false, nil -- whether the page is a try, which may be empty or the one before again
  for _ = 1, pages do
    local page, following, more
    if try then
      local ok
      ok, page, following, more = pcall(host.page, action, asked)
      if not ok then return rows, true end
      if type(page) ~= "table" then return rows, false end
    else
      page, following, more = host.page(action, asked)
    end
    local list = rows_of(page, opts.rows)
    if try and (#list == 0 or equal(list, last)) then return rows, false end
    for _, row in ipairs(list) do
      if #rows >= max then return rows, true end
      rows[#rows + 1] = row
    end
    if not following then return rows, more end
    asked, try, last = merge(asked, following), not more, list
  end
  return rows, true
end
host.doc("paginate(action, args, opts)", "rows of all pages, and whether there may be more; opts: max (1000 rows), pages (40), rows (the field with the rows)")
