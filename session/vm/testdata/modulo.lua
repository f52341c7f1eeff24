-- % is a - floor(a/b)*b, which is never -0 for whole numbers.
local function zero(x) assert(x == 0 and 1/x > 0) end
local a, b = -3, 3
zero(a % b) zero(-3 % 3) zero(3 % -3) zero(-259200 % 86400)
a, b = -259200, 86400
zero(a % b)
for i = -9, 9 do
  for j = -9, 9 do
    local x, y = i / 10, j / 10
    if j ~= 0 then assert(x % y == x - math.floor(x / y) * y) end
  end
end
assert(5.3 % 2 == 5.3 - 4 and -5 % 3 == 1 and 5 % -3 == -1)
local inf = math.huge
assert(5 % inf == 5 and -5 % inf == inf and inf % 5 ~= inf % 5 and 5 % 0 ~= 5 % 0)
