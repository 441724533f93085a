/**
 * An upgrade from a former version on one Postgres, under load of every family: three nodes of it become this version one
 * after the other; in between the new ones leave, and the old one goes on alone. In the end every sum must be that of the
 * rows, and every task must have ended well.
 *
 *   bun run test:long upgrade [--from 68959d31] [--through <commit>] [--seconds 20]
 *
 * `--through` upgrades to that version first: what it loses beside the former one is repaired by this one.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isReady } from "../bench/processes.ts"
import { bundle } from "../e2e/program.ts"
import { spawn } from "../faults/processes.ts"
import { startBucket, withoutBucket } from "../files/bucketServer.ts"
import { sumDifferences } from "../ledger/nodes/sumDifferences.ts"
import { startRedis, withoutRedis } from "../limits/redisServer.ts"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import { auditOf } from "./audit.ts"
import { startBalancer } from "./balancer.ts"
import { askAs, familyClient, newFamiliesTold } from "./families.ts"
import { formerGateway } from "./formerGateway.ts"
import { nodesOf } from "./nodes.ts"

const option = (name: string, usual: string) => {
  const at = process.argv.indexOf(`--${name}`)
  return (at === -1 ? undefined : process.argv[at + 1]) ?? usual
}
const from = option("from", "68959d31")
const phaseMs = 1_000 * Number(option("seconds", "20"))
const programs = postgresPrograms()
if (programs === undefined || withoutRedis("test/cluster") || withoutBucket("test/cluster")) {
  console.log(
    "SKIPPED: it needs Postgres and Redis (Debian's packages `postgresql` and `redis-server`), and moto of PyPI"
  )
  process.exit(0)
}

const webhookSecret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`
const folder = mkdtempSync(join(tmpdir(), "gateway-upgrade-"))
const newer = (process.env["TEST_GATEWAY"] ??= await bundle(join(folder, "program")))
const first = await formerGateway(join(folder, "former"), from)
const through = option("through", "")
const older = through === "" ? first : await formerGateway(join(folder, "through"), through)
const outside = await spawn("outside.ts", { WEBHOOK_SECRET: webhookSecret, WEATHER: "0", MEDIA: "here" })
const [postgres, redis, bucket] = await Promise.all([startPostgres(programs), startRedis(), startBucket()])
const balancer = startBalancer()
const audit = auditOf(postgres.url)
const sql = new Bun.SQL({ url: postgres.url, max: 1 })
const world = {
  folder,
  outside: outside.url,
  database: postgres.url,
  redis: redis.url,
  bucket: bucket.env,
  webhookSecret
}
const nodes = nodesOf({
  ...world,
  // The oldest versions know no others.
  ...(through !== "" && { videoServices: ["ark"] as const }),
  balancer,
  audit,
  env: { GATEWAY_LEAVE_SECONDS: "1", GATEWAY_CHECK_ANSWERS: "false" }
})
const running = [
  await nodes.start("one", first),
  await nodes.start("two", first),
  await nodes.start("three", first)
] as const
const [one, two, three] = running
for (const { gateway } of running) await isReady(gateway.url)

const differing = async (): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const [name, text] of Object.entries(sumDifferences)) {
    for (const row of await sql.unsafe(text)) found.push(`${name}: ${JSON.stringify(row)}`)
  }
  return found
}

const told = newFamiliesTold()
let isOver = false
let isIdle = false
const clients = Array.from({ length: 8 }, () =>
  familyClient(
    balancer.url,
    told,
    () => isOver,
    () => isIdle
  )
)
const phases: Array<Readonly<Record<string, string | number>>> = []
/** NaN where the version at hand has no such table. */
const sumsOf = async (text: string): Promise<number> =>
  sql.unsafe(text).then(
    (found) => Number(found[0].n) / 1e9,
    () => NaN
  )
const during = async (phase: string) => {
  await Bun.sleep(phaseMs)
  phases.push({
    phase,
    "usage, $": await sumsOf("SELECT COALESCE(SUM(cost_nano_usd), 0) AS n FROM usage"),
    "by hour, $": await sumsOf("SELECT COALESCE(SUM(cost_nano_usd), 0) AS n FROM usage_hours"),
    "not added up yet, $": await sumsOf("SELECT COALESCE(SUM(cost_nano_usd), 0) AS n FROM usage_unsummed"),
    "requests sealed": 1e9 * (await sumsOf("SELECT COUNT(*) AS n FROM task_requests WHERE request LIKE 'sealed:%'"))
  })
  console.log(phase)
}
const codes: Array<number> = []
const become = async (node: typeof one, program: string) => {
  node.program = program
  const { code } = await nodes.restart(node, "SIGTERM")
  await isReady(node.gateway.url)
  codes.push(code)
}
const leave = async (node: typeof one) => {
  node.gateway.signal("SIGTERM")
  codes.push(await node.gateway.exited)
  node.leave()
}

await during("three old nodes")
if (through !== "") {
  // Former versions fail in a deadlock if their tables are in use.
  isIdle = true
  await Bun.sleep(3_000)
  await become(one, older)
  isIdle = false
  await become(two, older)
  await during(`two of ${through} beside an old one`)
  await become(three, older)
}
await become(one, newer)
await become(two, newer)
await during("two new nodes beside an old one")
await leave(one)
await leave(two)
await during("the old node alone")
const refused = await become(one, older).then(
  () => "",
  (error: unknown) => String(error)
)
await nodes.restart(Object.assign(one, { program: newer }), "SIGTERM")
await nodes.restart(Object.assign(two, { program: newer }), "SIGTERM")
for (const node of [one, two]) await isReady(node.gateway.url)
await during("two new nodes again")
await become(three, newer)
await during("three new nodes")
isOver = true
await Promise.all(clients)

const endings = new Map<string, number>()
for (const [path, key] of told.tasks) {
  for (;;) {
    const answer = (await (await askAs(balancer.url, key, path)).json()) as { status: string; error?: unknown }
    if (/queued|running|in_progress|pending/.test(answer.status)) {
      await Bun.sleep(100)
      continue
    }
    const ending = `${path.split("/").slice(0, -1).join("/")} ${answer.status} ${JSON.stringify(answer.error ?? null)}`
    endings.set(ending, (endings.get(ending) ?? 0) + 1)
    break
  }
}
const repaired = async () => (await sql`SELECT value::text AS value FROM upkeep WHERE name = 'usage_sums'`)[0]?.value
for (const until = performance.now() + 60_000; performance.now() < until;) {
  if ((await audit.unsummed()) === 0 && (await repaired()) === "-1") break
  await Bun.sleep(200)
}
phases.push({ phase: "in the end", "usage, $": await sumsOf("SELECT COALESCE(SUM(cost_nano_usd), 0) AS n FROM usage") })
const wrong = await differing()
console.table(phases)
console.table([...told.answered].map(([family, answers]) => ({ family, answers })))
for (const [ending, times] of endings) console.log(`${times} times ${ending}`)
for (const [what, times] of told.refused) console.log(`${times} times ${what}`)
console.log(
  `an old node that starts now: ${/newer gateway[^"]*/.exec(refused)?.[0] ?? `not refused ${refused.slice(-300)}`}`
)
console.log(`the sums: ${(await repaired()) === "-1" ? "compared" : "not compared"}, ${wrong.length} differ`)
for (const line of wrong.slice(0, 20)) console.log(line)
for (const { gateway } of running) {
  for (const line of gateway.output().split("\n")) if (/whole again|a worker crashed/.test(line)) console.log(line)
}
const unwell = [...endings].filter(([ending]) => !/ (succeeded|completed|success) null$/.test(ending)).length
const failures = {
  "connections broken": told.broken,
  refused: told.refused.size,
  "tasks that did not end well": unwell,
  "sums that differ": wrong.length,
  contradictions: (await audit.contradictions()).length,
  "exit codes other than 0": codes.filter((code) => code !== 0).length,
  "an old node started": refused.includes("newer gateway") ? 0 : 1
}
console.table(failures)
for (const { gateway } of running) gateway.signal("SIGKILL")
outside.signal("SIGKILL")
balancer.stop()
await sql.close()
await audit.close()
await Promise.all([redis.dispose(), postgres.dispose(), bucket.stop()])
rmSync(folder, { recursive: true, force: true })
process.exit(Object.values(failures).every((n) => n === 0) ? 0 : 1)
