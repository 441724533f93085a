import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { adminKey } from "../e2e/adminClient.ts"
import { startGateway } from "../e2e/process.ts"
import { answerOf } from "../prices/provider.ts"
import { watchOverdrawn } from "./overdrawn.ts"
import { otherPrice, prices } from "./servedPrices.ts"

export const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`

/** What an upstream answers: `answerOf`'s. */
export interface Played {
  readonly wire: "responses" | "messages" | "chat"
  readonly answer: Readonly<Record<string, unknown>>
  readonly waitMs: number
}

/** Gateways on one database whose upstream answers as a request's text says: `plays <its number>.` */
export const startServed = async (count: number, env: Readonly<Record<string, string>>) => {
  const plays = new Map<number, Played>()
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    fetch: async (request) => {
      const text = await request.text()
      const played = plays.get(Number(/plays (\d+)\./.exec(text)?.[1]))
      if (played === undefined) return new Response("", { status: 404 })
      await Bun.sleep(played.waitMs)
      const rest = { id: "", provider: "", model: "m", request: {}, price: {}, terms: [], nano_usd: 0, how: "" }
      return answerOf({ ...rest, ...played }, text.includes('"stream":true'))
    }
  })
  const at = (protocol: string) => ({
    protocol,
    base_url: `http://127.0.0.1:${upstream.port}/v1`,
    api_key: "sk-served-1"
  })
  const config = {
    upstreams: {
      responses: at("openai-responses"),
      messages: at("anthropic-messages"), // The charge that it tells is believed.
      chat: { ...at("openai-chat"), provider: "openrouter" }
    },
    models: {
      ...Object.fromEntries(
        Object.entries(prices).map(([wire, price]) => [wire, { routes: [{ upstream: wire, model: "m" }], price }])
      ),
      // A dollar a token of output: the reports compare traffic with it.
      paid: { routes: [{ upstream: "chat", model: "m" }], price: { output: 1_000_000 } }
    },
    prices_file: "prices.json",
    keys: [
      { name: "rich", secret: secretOf("rich"), balance_usd: 5_000 },
      // Too little for some of its requests from the beginning, and for most of them soon.
      { name: "thin", secret: secretOf("thin"), balance_usd: 0.4 }
    ]
  }
  const folders = Array.from({ length: count }, () => mkdtempSync(join(tmpdir(), "gateway-served-")))
  for (const folder of folders) {
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
    writeFileSync(join(folder, "prices.json"), JSON.stringify({ images: otherPrice, advisor: otherPrice }))
  }
  const start = (folder: string) =>
    startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey, GATEWAY_SECRET: "s".repeat(64), ...env } })
  const [first = "", ...others] = folders
  const nodes = [await start(first)]
  for (const folder of others) nodes.push(await start(folder))
  const overdrawn = await watchOverdrawn(env["GATEWAY_DATABASE_URL"] ?? join(first, "data/gateway.db"))
  const last = nodes.length - 1
  return {
    folder: first,
    nodes,
    plays,
    overdrawn,
    /** Kills the last node, and starts it again. */
    kill: async () => {
      nodes[last]?.signal("SIGKILL")
      await nodes[last]?.exited
      nodes[last] = await start(folders[last] ?? "")
    },
    /** Holds of tasks that the killed node had not stored are given back a minute after they began: now. */
    age: async () => {
      const url = env["GATEWAY_DATABASE_URL"]
      if (url === undefined) return
      const sql = new Bun.SQL({ url, max: 1 })
      await sql.unsafe("UPDATE holds SET at = 0 WHERE confirmed = 0")
      await sql.close()
    },
    dispose: async () => {
      for (const node of nodes) await node.dispose()
      await upstream.stop(true)
    }
  }
}
