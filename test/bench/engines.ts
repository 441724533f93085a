import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import { load, median } from "./load.ts"
import { startScript } from "./processes.ts"
import { benchKey, configuration } from "./setting.ts"

/**
 * `bun run test:long bench:engines [-- --rounds 5] [--seconds 3] [--warm 8] [--only unmetered]`: this build (`dist/gateway`) on SQLite, on Postgres, and on
 * Postgres with two workers, by turns, on one machine with the database, the load and the upstream.
 */
const option = (name: string, otherwise: number) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}
const word = (name: string) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? "" : (process.argv[at + 1] ?? "")
}
const rounds = option("rounds", 5)
const seconds = option("seconds", 3)
/** Of the same load, before it is measured: until then the engine still compiles, for longer the less of a core is left to it. */
const warm = option("warm", 8)
const programs = postgresPrograms()
if (programs === undefined) throw new Error("Postgres is not installed (Debian's package `postgresql`)")

const upstream = await startScript("upstream.ts")
const postgres = await startPostgres(programs)
const sql = new Bun.SQL({ url: postgres.url, max: 1 })

const started = (env: Readonly<Record<string, string>>): Promise<GatewayProcess> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-engines-"))
  writeFileSync(join(folder, "gateway.yaml"), configuration(upstream.url))
  return startGateway({
    command: [resolve(import.meta.dirname, "../../dist/gateway"), "serve"],
    folder,
    env: { GATEWAY_CHECK_ANSWERS: "false", GATEWAY_BOOTSTRAP_KEY: benchKey, ...env },
    toFile: true
  })
}
let databases = 0
/**
 * A database of its own, so that no run finds the rows of another. The one before goes: the server would clean up after
 * it while others are measured.
 */
const onPostgres = async (more: Readonly<Record<string, string>> = {}) => {
  await sql.unsafe(`DROP DATABASE IF EXISTS bench_${databases} WITH (FORCE)`)
  const name = `bench_${++databases}`
  await sql.unsafe(`CREATE DATABASE ${name}`)
  await sql.unsafe("CHECKPOINT")
  return started({ ...more, GATEWAY_DATABASE_URL: postgres.url.replace(/postgres$/, name) })
}
const sides = [
  ["SQLite", () => started({})],
  ["Postgres", () => onPostgres()],
  ["Postgres, two workers", () => onPostgres({ GATEWAY_WORKERS: "2", GATEWAY_PORT: "18473" })]
] as const

const body = JSON.stringify({
  model: "json-2000",
  max_tokens: 1000,
  messages: [{ role: "user", content: "Say something." }]
})
const create = JSON.stringify({
  model: "sandbox-video",
  content: [{ type: "text", text: "[[sandbox: queue=3000s]] a cat" }]
})
const loads = [
  ["passed through, unmetered", "/v1/messages", body, benchKey, 32],
  ["passed through, metered", "/v1/messages", body, `other-${benchKey}`, 32],
  ["passed through, unmetered, 128 connections", "/v1/messages", body, benchKey, 128],
  ["passed through, metered, 128 connections", "/v1/messages", body, `other-${benchKey}`, 128],
  ["video tasks created", "/api/v3/contents/generations/tasks", create, benchKey, 64]
] as const
type Load = (typeof loads)[number]

let errors = 0
const measure = async ({ url }: GatewayProcess, [, path, text, key, connections]: Load, time: number) => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const measured = await load({ url: url + path, body: text, headers, connections, seconds: time })
  errors += measured.errors
  return measured.perSecond
}

/** Of each side the rate of each round. By turns; each begins anew: a gateway that still works at the tasks of its turn would take from the others' turns. */
const measured = async (what: Load): Promise<ReadonlyArray<ReadonlyArray<number>>> => {
  const found: Array<Array<number>> = sides.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, [, start]] of sides.entries()) {
      const gateway = await start()
      await measure(gateway, what, warm)
      found[index]?.push(await measure(gateway, what, seconds))
      await gateway.dispose()
    }
  }
  return found
}

console.log(`| a second | ${sides.map(([name]) => name).join(" | ")} | against SQLite |`)
console.log(`|---|${sides.map(() => "--:|").join("")}--:|`)
const only = word("only")
for (const what of loads.filter(([name]) => name.includes(only))) {
  const [sqlite = [], ...others] = await measured(what)
  const shown = [sqlite, ...others].map((rates) => Math.round(median(rates)).toLocaleString("en"))
  // Each round beside its own: what the machine does otherwise falls on all of them.
  const ratios = others.map((rates) => median(rates.map((rate, round) => rate / (sqlite[round] ?? NaN))).toFixed(2))
  console.log(`| ${what[0]} | ${shown.join(" | ")} | ${ratios.join(", ")} |`)
}
console.log(`\n${rounds} rounds of ${seconds} s each, after ${warm} s, ${errors} errors`)
upstream.stop()
await sql.close()
await postgres.dispose()
process.exit(errors === 0 ? 0 : 1)
