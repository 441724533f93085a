import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { adminKey } from "../e2e/adminClient.ts"
import { startGateway } from "../e2e/process.ts"
import { upstreamOf } from "./routedUpstream.ts"
import { watchOverdrawn } from "./overdrawn.ts"

export const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`

/** Thousands of dollars a million tokens: the dearer ones stand behind the cheaper ones, and the other way round. */
export const prices: Readonly<Record<string, number>> = { a: 2, b: 5, c: 1, spare: 3 }
export const names = Object.keys(prices)

/** Each is used up by some of its key's requests. */
export const budgets = [
  { name: "budgeted", unit: "usd", limit: 3 },
  { name: "tokens", unit: "tokens", limit: 600 },
  { name: "requests", unit: "requests", limit: 12 }
] as const

/** Dollars. */
export const search = (name: string): number => (prices[name] ?? 0) / 100

const price = (name: string) => ({
  input: 1_000 * (prices[name] ?? 0),
  output: 1_000 * (prices[name] ?? 0),
  per_search: search(name)
})
const route = (upstream: string, weight?: number) => ({
  upstream,
  model: "m",
  price: price(upstream),
  ...(weight === undefined ? {} : { weight })
})
const key = (name: string, more: object = {}) => ({ name, secret: secretOf(name), account: "team", ...more })
const fallbacks = { refused: "spare", failed: "spare" }

const models = {
  ordered: { routes: [route("a"), route("b"), route("c")] },
  weighted: { routes: [route("a", 3), route("b", 1), route("c")] },
  hedged: { routes: [route("a"), route("b"), route("c")], hedge_seconds: 0.05 },
  falling: { routes: [route("a"), route("b")], fallbacks },
  "hedged-falling": { routes: [route("b"), route("a")], hedge_seconds: 0.05, fallbacks },
  spare: { routes: [route("spare")] }
}
const keys = [
  key("one", { balance_usd: 5_000 }),
  key("other"),
  // Too little for some of its requests from the beginning, and for all of them soon.
  key("thin", { account: "thin", balance_usd: 1.5 }),
  key("bound", { upstreams: ["b", "c", "spare"] }),
  ...budgets.map(({ limit, name, unit }) => key(name, { budgets: [{ [unit]: limit, per: "month" }] }))
]

/** Gateways on one database whose models have routes of different prices, and what watches their accounts. */
export const startRouted = async (count: number, env: Readonly<Record<string, string>>) => {
  const upstreams = names.map((name) => [name, upstreamOf(name)] as const)
  const entries = upstreams.map(([name, { url }]) => [
    name,
    {
      protocol: "openai-chat",
      base_url: `${url}/v1`,
      ...(name === "b" ? { keys: ["key-of-b-0123456789-1", { key: "key-of-b-0123456789-2", weight: 2 }] } : {})
    }
  ])
  const folders = Array.from({ length: count }, () => mkdtempSync(join(tmpdir(), "gateway-routes-")))
  const config = JSON.stringify({ upstreams: Object.fromEntries(entries), models, keys })
  const start = (folder: string) =>
    startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey, GATEWAY_SECRET: "s".repeat(64), ...env } })
  for (const folder of folders) writeFileSync(join(folder, "gateway.yaml"), config)
  const [first = "", ...others] = folders
  const nodes = [await start(first)]
  for (const folder of others) nodes.push(await start(folder))
  const overdrawn = await watchOverdrawn(env["GATEWAY_DATABASE_URL"] ?? join(first, "data/gateway.db"))
  const at = (n: number) => nodes[n % nodes.length]!
  return {
    /** A node; any number stands for one. */
    at,
    overdrawn,
    /** Kills the last node, and starts it again. */
    kill: async () => {
      const last = nodes.length - 1
      at(last).signal("SIGKILL")
      await at(last).exited
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
      await Promise.all(upstreams.map(([, one]) => one.stop()))
    }
  }
}
