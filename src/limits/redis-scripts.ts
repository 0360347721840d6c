/**
 * Functions shared by the scripts, which Redis executes atomically. A counter is a hash: `u` used, `e` end, and with lockout
 * periods `p` end of the lockout and `n` number of lockouts; times in milliseconds. Slots are a sorted set of request ids by
 * expiry. Both have a TTL. The clock is that of the Redis server, so that gateways with different clocks agree; tests pass one.
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
    return { exists = false, used = 0, ends = now + length, locked_until = 0, lockout_count = 0 }
  end
  return { exists = true, used = tonumber(found[1]), ends = ends,
    locked_until = tonumber(found[3] or 0), lockout_count = tonumber(found[4] or 0) }
end
local function write(key, count)
  redis.call('HSET', key, 'u', whole(count.used), 'e', whole(count.ends),
    'p', whole(count.locked_until), 'n', count.lockout_count)
  redis.call('PEXPIRE', key, whole(count.ends - now))
end
`;

/**
 * Charges all counters of a call and takes a slot, or does nothing.
 *
 * KEYS: the counters, then the slots (no key without a slot). ARGV: time or empty; request id or empty; slot limit; slot
 * seconds; seconds to wait for a slot; then per counter limit, seconds, cost (-1 reads only) and lockout periods (comma
 * separated or empty). Returns the wait in milliseconds, 0 if charged; the index of the rejected charge; then per counter the
 * used amount and its end.
 */
export const chargeScript = `${sharedFunctions}
local id, slots = ARGV[2], KEYS[#KEYS]
local longest, failed, counts, last = 0, -1, {}, #KEYS
if id ~= '' then last = last - 1 end
for at = 1, last do
  local base = 5 + (at - 1) * 4
  local limit, length, cost = tonumber(ARGV[base + 1]), ARGV[base + 2] * 1000, tonumber(ARGV[base + 3])
  local lockouts = {}
  for period in string.gmatch(ARGV[base + 4], '%d+') do lockouts[#lockouts + 1] = period * 1000 end
  local count = read(KEYS[at], length)
  count.limit, count.length, count.cost, count.lockouts = limit, length, cost, lockouts
  local wait = 0
  if cost >= 0 and count.exists and #lockouts > 0 then
    wait = math.max(0, count.locked_until - now)
  elseif cost >= 0 and count.exists and count.used + math.max(cost, 1) > limit then
    wait = count.ends - now
  end
  if wait > longest then longest, failed = wait, at - 1 end
  counts[at] = count
end
if id ~= '' then
  local length, slot_wait = ARGV[4] * 1000, ARGV[5] * 1000
  redis.call('ZREMRANGEBYSCORE', slots, '-inf', whole(now))
  redis.call('ZREMRANGEBYSCORE', slots, '(' .. whole(now + 2 * length), '+inf')
  if longest < slot_wait and redis.call('ZCARD', slots) >= tonumber(ARGV[3]) then longest, failed = slot_wait, last end
  if failed < 0 then
    redis.call('ZADD', slots, whole(now + length), id)
    redis.call('PEXPIRE', slots, whole(length))
  end
end
local result = { longest, failed }
for at, count in ipairs(counts) do
  if failed < 0 and count.cost > 0 then
    if #count.lockouts == 0 then
      count.used = count.used + count.cost
    else
      -- At the limit and not rejected: the lockout is over.
      if count.used >= count.limit then count.used = 1 else count.used = count.used + 1 end
      count.ends = now + count.length
      if count.used == count.limit then
        count.lockout_count = count.lockout_count + 1
        count.locked_until = now + count.lockouts[math.min(count.lockout_count, #count.lockouts)]
      end
    end
    write(KEYS[at], count)
  end
  result[#result + 1] = count.used
  result[#result + 1] = count.ends
end
return result
`;

/**
 * Releases a slot and changes counters. KEYS: the slots, then the counters. ARGV: time or empty; request id; then per counter
 * seconds, change, and for a refund the end of the counter it applies to, or empty.
 */
export const releaseScript = `${sharedFunctions}
redis.call('ZREM', KEYS[1], ARGV[2])
for at = 2, #KEYS do
  local base = 2 + (at - 2) * 3
  local length, by, ends = ARGV[base + 1] * 1000, tonumber(ARGV[base + 2]), tonumber(ARGV[base + 3])
  local count = read(KEYS[at], length)
  local is_current = count.exists and (not ends or ends == count.ends)
  if by > 0 or is_current then
    count.used = math.max(0, count.used + by)
    if count.used == 0 then redis.call('DEL', KEYS[at]) else write(KEYS[at], count) end
  end
end
return 0
`;

/** Renews a slot that is still held. KEYS: the slots. ARGV: time or empty, request id, slot seconds. */
export const renewScript = `${sharedFunctions}
local length = ARGV[3] * 1000
if redis.call('ZSCORE', KEYS[1], ARGV[2]) then
  redis.call('ZADD', KEYS[1], whole(now + length), ARGV[2])
  redis.call('PEXPIRE', KEYS[1], whole(length))
end
return 0
`;
