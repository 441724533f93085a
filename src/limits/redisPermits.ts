import { redisScript } from "./redisScript.ts"
import type { Redis } from "./SharedRedis.ts"

/** This process's running requests for a key. */
export interface Running {
  readonly key: string
  readonly running: number
}

/** Counts of all processes' running requests. */
export interface RemotePermits {
  /** Reports this process's counts, unless a total would exceed `most`; then returns that key's index (from 0). */
  readonly take: (wanted: ReadonlyArray<Running & { readonly most: number }>) => Promise<number | undefined>
  /** Reports this process's counts unconditionally. */
  readonly tell: (counts: ReadonlyArray<Running>) => Promise<void>
}

/** Expiry of a process's counts, in ms; they are renewed after a third of it. */
export const believedMs = 15_000

/**
 * One Redis hash per key, with a field per process. Processes report whole counts instead of changes, so that the next
 * call repairs a lost one. Expired processes are ignored.
 */
const script = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local own = ARGV[1]
for i = 2, #KEYS do
  local running, most = tonumber(ARGV[i * 2 - 1]), tonumber(ARGV[i * 2])
  if most > 0 then
    local all = redis.call('HGETALL', KEYS[i])
    for j = 1, #all, 2 do
      if all[j] ~= own then
        local till = redis.call('ZSCORE', KEYS[1], all[j])
        if till and tonumber(till) > now then
          running = running + tonumber(all[j + 1])
        else
          redis.call('HDEL', KEYS[i], all[j])
        end
      end
    end
    if running > most then return i - 1 end
  end
end
redis.call('ZADD', KEYS[1], now + ARGV[2], own)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
for i = 2, #KEYS do
  if ARGV[i * 2 - 1] == '0' then
    redis.call('HDEL', KEYS[i], own)
  else
    redis.call('HSET', KEYS[i], own, ARGV[i * 2 - 1])
    redis.call('PEXPIRE', KEYS[i], 4 * ARGV[2])
  end
end
return 0
`)

export const redisPermits = ({ node, send, soon }: Redis): RemotePermits => {
  const call = async (counts: ReadonlyArray<Running & { readonly most: number }>): Promise<number> => {
    const keys = ["gateway:permits", ...counts.map(({ key }) => `gateway:permits:${key}`)]
    const values = counts.flatMap(({ most, running }) => [String(running), String(most)])
    return Number(await script(send, keys, [node, String(believedMs), ...values]))
  }
  return {
    take: async (wanted) => {
      const full = await soon(call(wanted))
      return full === 0 ? undefined : full - 1
    },
    tell: async (counts) => {
      await soon(call(counts.map((one) => ({ ...one, most: 0 }))))
    }
  }
}
