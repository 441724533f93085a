import { RateLimitStoreError } from "@effect/experimental/RateLimiter"
import { Effect } from "effect"
import { redisScript } from "./redisScript.ts"
import type { Redis } from "./SharedRedis.ts"
import type { Remote } from "./sharedWindows.ts"
import { windowMs } from "./WindowCounts.ts"

/**
 * One Redis hash per key: the counted minute (by Redis's clock), the total, and each process's share. A process sends its
 * share with each call, so that a restarted Redis recovers the counts. Returns the count with the tokens, and Redis's
 * time.
 */
const script = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local minute = string.format('%d', math.floor(now / ${windowMs}))
local node, of, known, tokens, limit = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local all, own = 0, 0
local kept = redis.call('HMGET', KEYS[1], 'minute', 'all', node)
if kept[1] == minute then
  all, own = tonumber(kept[2]), tonumber(kept[3] or '0')
else
  redis.call('DEL', KEYS[1])
end
if of == minute and known > own then
  all, own = all + known - own, known
end
if limit then
  if all + tokens <= limit then
    all, own = all + tokens, own + tokens
    tokens = 0
  end
elseif of == minute then
  all, own = all + tokens, own + tokens
  tokens = 0
else
  tokens = 0
end
redis.call('HSET', KEYS[1], 'minute', minute, 'all', string.format('%d', all), node, string.format('%d', own))
redis.call('PEXPIRE', KEYS[1], 2 * ${windowMs})
return { all + tokens, now }
`)

export const redisWindows = ({ node, send, soon }: Redis): Remote => {
  const call = async (key: string, ...values: ReadonlyArray<number | "">): Promise<readonly [number, number]> => {
    const answer = await script(send, [`gateway:limits:${key}`], [node, ...values.map(String)])
    const [count, nowMs] = Array.isArray(answer) ? answer.map(Number) : []
    if (count === undefined || nowMs === undefined) throw new Error("an answer of another kind")
    return [count, nowMs]
  }
  return {
    take: (key, tokens, limit, { known, minute }) =>
      Effect.map(
        Effect.tryPromise({
          try: () => soon(call(key, minute, known, tokens, limit)),
          catch: (cause) => new RateLimitStoreError({ message: "Redis does not answer", cause })
        }),
        ([count, nowMs]) => ({ count, leftMs: windowMs - (nowMs % windowMs), nowMs })
      ),
    correct: (key, tokens, { known, minute }) => void call(key, minute, known, tokens, "").catch(() => {})
  }
}
