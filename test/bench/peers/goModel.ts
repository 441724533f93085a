import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { bodies, streamModels, wholeModel } from "./System.ts"
import type { System } from "./System.ts"

const key = "peers-master-key"
const headers = { "content-type": "application/json", authorization: `Bearer ${key}` }

/** GoModel, where `GOMODEL_BIN` names its program; `GOMODEL_VERSION` says which it is where it does not itself. */
export const goModel = (): System | undefined => {
  const program = process.env["GOMODEL_BIN"]
  if (program === undefined) return undefined
  return {
    name: "GoModel",
    version: process.env["GOMODEL_VERSION"] ?? "",
    settings:
      "one master key, SQLite, usage rows buffered for 5 s, no log of requests, passthrough routes on, its circuit breaker as good as off (callers that hang up open it)",
    lacks: "accounts, balances, limits, prices of one's own, an access log; usage is lost where it crashes",
    start: ({ folder, port, upstream }) => {
      mkdirSync(join(folder, "config"))
      writeFileSync(
        join(folder, "config/config.yaml"),
        `server: { port: "${port}", master_key: ${key} }
# Callers that hang up count as failures of the provider, and five of them would close it to all callers.
resilience: { circuit_breaker: { failure_threshold: 1000000000 } }
storage: { type: sqlite, sqlite: { path: "${join(folder, "gomodel.db")}" } }
cache: { model: { local: { cache_dir: "${join(folder, "cache")}" } } }
providers:
  openai: { type: openai, base_url: "${upstream}/v1", api_key: upstream, models: [${[wholeModel, ...streamModels].join(", ")}] }
  anthropic: { type: anthropic, base_url: "${upstream}/v1", api_key: upstream, models: [${wholeModel}] }
`
      )
      // Without the list of all models that it would fetch from the network.
      return { command: [resolve(program)], env: { MODEL_LIST_URL: "", GOMODEL_MASTER_KEY: key, PORT: String(port) } }
    },
    wholes: {
      "messages passed through": { path: "/p/anthropic/messages", headers, body: bodies.message(wholeModel) },
      "chat passed through": { path: "/v1/chat/completions", headers, body: bodies.chat(`openai/${wholeModel}`) }
    },
    streams: {
      "messages passed through": (model) => ({
        path: "/p/anthropic/messages",
        headers,
        body: bodies.messageStream(model)
      }),
      "chat passed through": (model) => ({
        path: "/v1/chat/completions",
        headers,
        body: bodies.chatStream(`openai/${model}`)
      })
    }
  }
}
