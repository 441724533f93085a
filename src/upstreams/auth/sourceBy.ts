import { Effect } from "effect"
import type { ProxyOf } from "../../config/proxies.ts"
import type { Source } from "../../credentials/Source.ts"
import { fetchBy } from "./fetchBy.ts"

/** The environment of the process, and calls of token services by their proxies. */
export const sourceBy = (proxyOf: ProxyOf): Effect.Effect<Source> =>
  Effect.map(Effect.clock, (clock) => ({
    env: process.env,
    fetch: (url, init) => fetchBy(proxyOf(url))(url, init),
    fetchLocally: fetchBy(undefined),
    now: () => clock.unsafeCurrentTimeMillis()
  }))
