import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { bodies, streamModels, wholeModel } from "./System.ts"
import type { System } from "./System.ts"

const headers = { "content-type": "application/json" }
const path = "/api/v1/chat/completions"

/** Traceloop's Hub, where `HUB_BIN` names its program; `HUB_VERSION` says which it is, for it does not itself. */
export const hub = (): System | undefined => {
  const program = process.env["HUB_BIN"]
  if (program === undefined) return undefined
  const models = [wholeModel, ...streamModels]
  return {
    name: "Traceloop Hub",
    version: process.env["HUB_VERSION"] ?? "",
    settings: "YAML mode, one pipeline with a model router, metrics",
    lacks:
      "keys, accounts, balances, limits, prices, usage, an access log, a database; no messages dialect; streams end without `[DONE]`",
    start: ({ folder, port, upstream }) => {
      const file = join(folder, "config.yaml")
      writeFileSync(
        file,
        `providers:
  - { key: openai, type: openai, api_key: upstream, base_url: "${upstream}/v1" }
models:
${models.map((model) => `  - { key: ${model}, type: ${model}, provider: openai }`).join("\n")}
pipelines:
  - name: default
    type: chat
    plugins:
      - model-router: { models: [${models.join(", ")}] }
`
      )
      return { command: [resolve(program)], env: { HUB_MODE: "yaml", CONFIG_FILE_PATH: file, PORT: String(port) } }
    },
    wholes: { "chat passed through": { path, headers, body: bodies.chat(wholeModel) } },
    streams: {
      "chat passed through": (model) => ({
        path,
        headers,
        body: bodies.chatStream(model),
        end: `"finish_reason":"stop"`
      })
    }
  }
}
