-- Charts in plain text.
local host = ...
local type, tostring, tonumber, ipairs, pairs, print = type, tostring, tonumber, ipairs, pairs, print
local floor, max, min, huge = math.floor, math.max, math.min, math.huge
local rep, format = string.rep, string.format
local fail = host.fail

local steps = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" }
local ascii_steps = { "_", ".", "-", "=", "+", "*", "%", "#" }
local most_bars, label_width = 40, 24

local function short(n)
  if n == floor(n) and n > -1e15 and n < 1e15 then return format("%d", n) end
  return format("%.4g", n)
end

-- The labels in the order in which they first come, and the sum of the values of each.
local function sums(rows, y, by)
  local order, total = {}, {}
  for i, row in ipairs(rows) do
    local key, n = i, row
    if type(row) == "table" then
      n = row[y]
      if by ~= nil then key = row[by] end
    end
    n = tonumber(n)
    if n and key ~= nil and n == n and n < huge and n > -huge then
      if total[key] == nil then
        order[#order + 1] = key
        total[key] = 0
      end
      total[key] = total[key] + n
    end
  end
  return order, total
end

-- The first field, in the order of names, that holds numbers.
local function numeric_field(rows)
  for _, row in ipairs(rows) do
    if type(row) ~= "table" then return nil end
    local best
    for k, v in pairs(row) do
      if type(v) == "number" and type(k) == "string" and (best == nil or k < best) then best = k end
    end
    if best then return best end
  end
end

-- The names of all fields that hold numbers, in order.
local function numeric_fields(rows)
  local known, names = {}, {}
  for _, row in ipairs(rows) do
    if type(row) == "table" then
      for k, v in pairs(row) do
        if type(v) == "number" and type(k) == "string" and not known[k] then
          known[k] = true
          names[#names + 1] = k
        end
      end
    end
  end
  table.sort(names)
  return names
end

-- Why there is nothing to draw.
local function nothing(rows, y, by)
  if #rows == 0 then fail("chart: no rows") end
  local names = numeric_fields(rows)
  local where = #names > 0 and ("; fields with numbers: " .. table.concat(names, ", ")) or ""
  if y == nil then fail("chart: no numbers") end
  if by ~= nil and #sums(rows, y) > 0 then fail("chart: no row with a number in " .. tostring(y) .. " has a field " .. tostring(by)) end
  fail("chart: no numbers in the field " .. tostring(y) .. where)
end

local function spark(values, low, high, marks)
  local line = {}
  for i, v in ipairs(values) do
    local at = high > low and floor((v - low) / (high - low) * (#marks - 1) + 0.5) + 1 or 1
    line[i] = marks[at]
  end
  return table.concat(line)
end

function chart(rows, opts)
  if type(rows) ~= "table" then fail("chart: expected a list, got " .. type(rows)) end
  if opts ~= nil and type(opts) ~= "table" then fail("chart: options are a table: {y = \"total\", by = \"month\"}") end
  opts = opts or {}
  local y, by = opts.y or numeric_field(rows), opts.by
  local order, total = sums(rows, y, by)
  if #order == 0 then nothing(rows, y, by) end
  local values, low, high = {}, 0, 0
  for i, key in ipairs(order) do
    values[i] = total[key]
    low, high = min(low, values[i]), max(high, values[i])
  end
  local title = tostring(y or "value") .. (by and (" by " .. tostring(by)) or "")
  if by == nil or #order > most_bars then
    local least, most = huge, -huge
    for _, v in ipairs(values) do least, most = min(least, v), max(most, v) end
    local width, line = max(tonumber(opts.width) or 72, 8), {}
    print(format("%s  %d value%s, %s to %s", title, #values, #values == 1 and "" or "s", short(least), short(most)))
    for i = 1, #values, width do
      local part = {}
      for j = i, min(i + width - 1, #values) do part[#part + 1] = values[j] end
      line[#line + 1] = spark(part, least, most, opts.ascii and ascii_steps or steps)
    end
    print(table.concat(line, "\n"))
    return
  end
  local labels, widths, wide, number_width = {}, {}, 0, 0
  for i, key in ipairs(order) do
    labels[i], widths[i] = host.label((tostring(key):gsub("%c", " ")), label_width)
    wide, number_width = max(wide, widths[i]), max(number_width, #short(values[i]))
  end
  local room = max((tonumber(opts.width) or 72) - wide - number_width - 4, 8)
  local mark = opts.ascii and "#" or "█"
  print(title)
  for i, text in ipairs(labels) do
    local v = values[i]
    local n = high > low and floor((v < 0 and -v or v) / max(high, -low) * room + 0.5) or 0
    if n == 0 and v ~= 0 then n = 1 end
    local bar = rep(v < 0 and "-" or mark, n)
    local margin = rep(" ", wide - widths[i])
    print((format("%s%s  %" .. number_width .. "s  %s", text, margin, short(v), bar):gsub(" +$", "")))
  end
end
host.doc("chart(rows, opts)", "bar chart of opts.y summed by opts.by; without opts.by, a line")
