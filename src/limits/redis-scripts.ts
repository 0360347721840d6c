/**
 * What Redis does in one step. A count is a hash: `u` used, `e` when it ends, and where there are pauses `p` until when it is
 * paused and `n` how many there were; times in milliseconds. Slots are a sorted set of who holds one by when that ends. Both
 * go by themselves when they have ended. The clock is that of the server, so that gateways whose clocks differ agree; a test
 * hands in its own.
 */
const sharedFunctions = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function whole(number) return string.format('%d', number) end
local function read(key, length)
  local found = redis.call('HMGET', key, 'u', 'e', 'p', 'n')
  local ends = tonumber(found[2])
  if not (ends and now < ends and ends - now <= 2 * length) then
    return { stands = false, used = 0, ends = now + length, paused_until = 0, paused = 0 }
  end
  return { stands = true, used = tonumber(found[1]), ends = ends,
    paused_until = tonumber(found[3] or 0), paused = tonumber(found[4] or 0) }
end
local function write(key, count)
  redis.call('HSET', key, 'u', whole(count.used), 'e', whole(count.ends),
    'p', whole(count.paused_until), 'n', count.paused)
  redis.call('PEXPIRE', key, whole(count.ends - now))
end
`;

/**
 * Decides over all counts of a call, and a slot, and charges them or none.
 *
 * KEYS: those of the counts, and last that of the slots. ARGV: the time or an empty string; who takes a slot, or an empty
 * string and no key; most slots; their seconds; seconds to wait for one; then for each count its limit, seconds, cost (-1
 * looks) and pauses (comma separated, or empty). Answers with the wait in milliseconds, 0 when all were charged; the index of
 * the count that it is due to; then for each count how much is used and when it ends.
 */
export const chargeScript = `${sharedFunctions}
local id, slots = ARGV[2], KEYS[#KEYS]
local longest, failed, counts, last = 0, -1, {}, #KEYS
if id ~= '' then last = last - 1 end
for at = 1, last do
  local base = 5 + (at - 1) * 4
  local limit, length, cost = tonumber(ARGV[base + 1]), ARGV[base + 2] * 1000, tonumber(ARGV[base + 3])
  local pauses = {}
  for pause in string.gmatch(ARGV[base + 4], '%d+') do pauses[#pauses + 1] = pause * 1000 end
  local count = read(KEYS[at], length)
  count.limit, count.length, count.cost, count.pauses = limit, length, cost, pauses
  local wait = 0
  if cost >= 0 and count.stands and #pauses > 0 then
    wait = math.max(0, count.paused_until - now)
  elseif cost >= 0 and count.stands and count.used + math.max(cost, 1) > limit then
    wait = count.ends - now
  end
  if wait > longest then longest, failed = wait, at - 1 end
  counts[at] = count
end
if id ~= '' then
  local length, patience = ARGV[4] * 1000, ARGV[5] * 1000
  redis.call('ZREMRANGEBYSCORE', slots, '-inf', whole(now))
  redis.call('ZREMRANGEBYSCORE', slots, '(' .. whole(now + 2 * length), '+inf')
  if longest < patience and redis.call('ZCARD', slots) >= tonumber(ARGV[3]) then longest, failed = patience, last end
  if failed < 0 then
    redis.call('ZADD', slots, whole(now + length), id)
    redis.call('PEXPIRE', slots, whole(length))
  end
end
local answer = { longest, failed }
for at, count in ipairs(counts) do
  if failed < 0 and count.cost > 0 then
    if #count.pauses == 0 then
      count.used = count.used + count.cost
    else
      -- Full, and yet not refused: the pause is over.
      if count.used >= count.limit then count.used = 1 else count.used = count.used + 1 end
      count.ends = now + count.length
      if count.used == count.limit then
        count.paused = count.paused + 1
        count.paused_until = now + count.pauses[math.min(count.paused, #count.pauses)]
      end
    end
    write(KEYS[at], count)
  end
  answer[#answer + 1] = count.used
  answer[#answer + 1] = count.ends
end
return answer
`;

/**
 * Frees a slot and changes counts. KEYS: that of the slots, then those of the counts. ARGV: the time or an empty string; who
 * held the slot; then for each count its seconds, by how much it changes, and when the one ends that something is given back
 * to, or an empty string.
 */
export const releaseScript = `${sharedFunctions}
redis.call('ZREM', KEYS[1], ARGV[2])
for at = 2, #KEYS do
  local base = 2 + (at - 2) * 3
  local length, by, ends = ARGV[base + 1] * 1000, tonumber(ARGV[base + 2]), tonumber(ARGV[base + 3])
  local count = read(KEYS[at], length)
  local given_back = count.stands and (not ends or ends == count.ends)
  if by > 0 or given_back then
    count.used = math.max(0, count.used + by)
    if count.used == 0 then redis.call('DEL', KEYS[at]) else write(KEYS[at], count) end
  end
end
return 0
`;

/** Has a slot that is held last on. KEYS: that of the slots. ARGV: the time or an empty string, who holds it, its seconds. */
export const renewScript = `${sharedFunctions}
local length = ARGV[3] * 1000
if redis.call('ZSCORE', KEYS[1], ARGV[2]) then
  redis.call('ZADD', KEYS[1], whole(now + length), ARGV[2])
  redis.call('PEXPIRE', KEYS[1], whole(length))
end
return 0
`;
