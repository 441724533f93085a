import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { bodies, wholeModel } from "./System.ts"
import type { Ask, System } from "./System.ts"

/** Where the upstream is, which Portkey is told with each request: known once it is started. */
let host = ""

const messages = (body: object): Ask => ({
  path: "/v1/messages",
  get headers() {
    return {
      "content-type": "application/json",
      "x-api-key": "upstream",
      "anthropic-version": "2023-06-01",
      "x-portkey-provider": "anthropic",
      "x-portkey-custom-host": host
    }
  },
  body
})
const chat = (body: object): Ask => ({
  path: "/v1/chat/completions",
  get headers() {
    return {
      "content-type": "application/json",
      authorization: "Bearer upstream",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": host
    }
  },
  body
})

/** Portkey's gateway on Node, where `PORTKEY_DIR` names a folder with `@portkey-ai/gateway` in its `node_modules`. */
export const portkey = (): System | undefined => {
  const directory = process.env["PORTKEY_DIR"]
  if (directory === undefined) return undefined
  const gateway = resolve(directory, "node_modules/@portkey-ai/gateway")
  const program = join(gateway, "build/start-server.js")
  if (!existsSync(program)) throw new Error(`PORTKEY_DIR: there is no ${program}`)
  const { version } = JSON.parse(readFileSync(join(gateway, "package.json"), "utf8")) as { version: string }
  return {
    name: "Portkey's gateway",
    version,
    settings: "`--headless`, on Node; the provider is named by each request",
    lacks: "keys, accounts, balances, limits, prices, usage, an access log, a database",
    start: ({ port, upstream }) => {
      host = `${upstream}/v1`
      return { command: ["node", program, "--headless", `--port=${port}`] }
    },
    wholes: {
      "messages passed through": messages(bodies.message(wholeModel)),
      "chat passed through": chat(bodies.chat(wholeModel))
    },
    streams: {
      "messages passed through": (model) => messages(bodies.messageStream(model)),
      "chat passed through": (model) => chat(bodies.chatStream(model))
    }
  }
}
