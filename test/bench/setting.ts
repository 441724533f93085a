import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { reachedOn, slownessBy } from "./machine.ts"
import type { Reached } from "./machine.ts"
import { isReady, startPortkey, startScript } from "./processes.ts"
import type { Started } from "./processes.ts"

/** Everything that is measured, each in a process of its own. */
export interface Setting {
  readonly upstream: Started
  readonly proxy: Started
  readonly gateway: GatewayProcess
  readonly portkey: Started | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The floor of a share that was reached on this kind of machine. */
  readonly reached: (by: Reached) => number
  readonly stop: () => Promise<void>
}

/** The configuration the gateway is measured with: priced models, a limited and metered key, as its users run it. */
export const configuration = (upstream: string) => `upstreams:
  native: { protocol: anthropic-messages, base_url: "${upstream}", api_key: upstream-key }
  chat: { protocol: openai-chat, base_url: "${upstream}/v1", api_key: upstream-key }
  responses: { protocol: openai-responses, base_url: "${upstream}/v1", api_key: upstream-key }
models:
  json-200: { routes: [{ upstream: native }], price: { input: 1, output: 2 } }
  json-2000: { routes: [{ upstream: native }], price: { input: 1, output: 2 } }
  json-20000: { routes: [{ upstream: native }], price: { input: 1, output: 2 } }
  json-2000-chat: { routes: [{ upstream: chat, model: json-2000 }], price: { input: 1, output: 2 } }
  json-2000-response: { routes: [{ upstream: responses, model: json-2000 }], price: { input: 1, output: 2 } }
  fast: { routes: [{ upstream: native }], price: { input: 1, output: 2 } }
  paced: { routes: [{ upstream: native }], price: { input: 1, output: 2 } }
  fast-chat: { routes: [{ upstream: chat, model: fast }], price: { input: 1, output: 2 } }
  slow-chat: { routes: [{ upstream: chat, model: slow }], price: { input: 1, output: 2 } }
  paced-chat: { routes: [{ upstream: chat, model: paced }], price: { input: 1, output: 2 } }
keys:
  - name: bench
    secret: "other-${benchKey}"
    account: bench
    models: ["*"]
    balance_usd: 1000000
    limits: { requests_per_minute: 100000000, tokens_per_minute: 100000000000 }
`

export const benchKey = "bench-key-0123456789abcdefghijkl"

export const start = async (): Promise<Setting> => {
  const upstream = await startScript("upstream.ts")
  const proxy = await startScript("proxy.ts", upstream.url)
  const folder = mkdtempSync(join(tmpdir(), "gateway-bench-"))
  writeFileSync(join(folder, "gateway.yaml"), configuration(upstream.url))
  const gateway = await startGateway({
    folder,
    env: { GATEWAY_CHECK_ANSWERS: "false", GATEWAY_BOOTSTRAP_KEY: benchKey },
    toFile: true
  })
  await isReady(gateway.url)
  const portkey = await startPortkey()
  const slower = await slownessBy(proxy)
  return {
    upstream,
    proxy,
    gateway,
    portkey,
    headers: { authorization: `Bearer ${benchKey}`, "content-type": "application/json" },
    reached: reachedOn(slower),
    stop: async () => {
      upstream.stop()
      proxy.stop()
      portkey?.stop()
      await gateway.dispose()
    }
  }
}

/**
 * How long each measurement takes, in s, and how often it is repeated: short and often, as a shared machine is slow for
 * some seconds now and then. Streams whose events are paced are watched for longer. `BENCH_QUICK` is for trying things.
 */
export const pace =
  process.env["BENCH_QUICK"] === undefined
    ? { seconds: 1, rounds: 15, warm: 10, paced: 6 }
    : { seconds: 1, rounds: 1, warm: 2, paced: 2 }
