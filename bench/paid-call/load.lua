-- The load of bench/paid-call: POSTs of 300 bytes, each with the next token of a file. At the end, what was measured as one
-- line of JSON.
local requests = {}
local at = 0
local wait = tonumber(os.getenv('WAIT_MS'))

function init(args)
  math.randomseed(tonumber(args[3]))
  local body = '{"max":5,"note":"' .. string.rep('n', 279) .. '"}'
  for token in io.lines(args[2]) do
    local headers = { ['content-type'] = 'application/json', authorization = 'Bearer ' .. token }
    for path in string.gmatch(args[1], '[^,]+') do
      requests[#requests + 1] = wrk.format('POST', path, headers, body)
    end
  end
  at = math.random(#requests)
end

function request()
  at = at % #requests + 1
  return requests[at]
end

-- Where there is such a function, wrk waits before each request; spread, so that connections do not march in step.
if wait > 0 then
  function delay()
    return math.random(0, 2 * wait)
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\n{"requests":%d,"microseconds":%d,"failed":%d,"p50":%d,"p99":%d}\n', summary.requests,
    summary.duration, errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
