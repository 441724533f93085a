import { existsSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { bodies, streamModels, wholeModel } from "./System.ts"
import type { System } from "./System.ts"

export const ourName = "**this gateway**"
const root = resolve(import.meta.dirname, "../../..")
const secret = "peers-key-0123456789abcdefghijklmn"
const headers = { "content-type": "application/json", authorization: `Bearer ${secret}` }
const priced = "price: { input: 1, output: 2 }"

const configuration = (upstream: string) => `upstreams:
  messages: { protocol: anthropic-messages, base_url: "${upstream}", api_key: upstream-key }
  chat: { protocol: openai-chat, base_url: "${upstream}/v1", api_key: upstream-key }
  responses: { protocol: openai-responses, base_url: "${upstream}/v1", api_key: upstream-key }
models:
  response: { routes: [{ upstream: responses, model: ${wholeModel} }], ${priced} }
${[wholeModel, ...streamModels]
  .flatMap((model) => [
    `  ${model}: { routes: [{ upstream: messages }], ${priced} }`,
    `  chat-${model}: { routes: [{ upstream: chat, model: ${model} }], ${priced} }`
  ])
  .join("\n")}
keys:
  - name: peers
    secret: ${secret}
    account: peers
    models: ["*"]
    balance_usd: 1000000
    limits: { requests_per_minute: 100000000, tokens_per_minute: 100000000000 }
`

/** This build, with all that it does for a paying account. */
export const ours = (): System => {
  const binary = resolve(root, "dist/gateway")
  if (!existsSync(binary)) throw new Error("dist/gateway is missing: bun run build makes it")
  const commit = Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { cwd: root }).stdout.toString().trim()
  return {
    name: ourName,
    version: commit,
    settings: "the binary as it is: key, balance, limits, prices, usage rows, request rows, access log, an SQLite file",
    lacks: "",
    ready: "/readyz",
    start: ({ folder, port, upstream }) => {
      writeFileSync(join(folder, "gateway.yaml"), configuration(upstream))
      return { command: [binary, "serve"], env: { GATEWAY_PORT: String(port) } }
    },
    wholes: {
      "messages passed through": { path: "/v1/messages", headers, body: bodies.message(wholeModel) },
      "chat passed through": { path: "/v1/chat/completions", headers, body: bodies.chat(`chat-${wholeModel}`) },
      "messages to a chat upstream": { path: "/v1/messages", headers, body: bodies.message(`chat-${wholeModel}`) },
      "responses, unstored": { path: "/v1/responses", headers, body: { ...bodies.response("response"), store: false } },
      "responses, stored": { path: "/v1/responses", headers, body: bodies.response("response") }
    },
    streams: {
      "messages passed through": (model) => ({ path: "/v1/messages", headers, body: bodies.messageStream(model) }),
      "chat passed through": (model) => ({
        path: "/v1/chat/completions",
        headers,
        body: bodies.chatStream(`chat-${model}`)
      }),
      "messages to a chat upstream": (model) => ({
        path: "/v1/messages",
        headers,
        body: bodies.messageStream(`chat-${model}`)
      })
    }
  }
}
