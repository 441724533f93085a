/**
 * Restarts node after node of three, under load, each told to end by SIGTERM: no request fails. They become the next
 * version, whose schema has more in it; for the first ten restarts one of them stays what it was.
 *
 *   bun run test:long rolling [--restarts 100]
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isReady } from "../bench/processes.ts"
import { startBucket, withoutBucket } from "../files/bucketServer.ts"
import { bundle } from "../e2e/program.ts"
import { spawn } from "../faults/processes.ts"
import { startRedis, withoutRedis } from "../limits/redisServer.ts"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import { auditOf } from "./audit.ts"
import { startBalancer } from "./balancer.ts"
import { newerGateway } from "./newer.ts"
import { nodesOf } from "./nodes.ts"
import { newTextsTold, textClients } from "./texts.ts"

const at = process.argv.indexOf("--restarts")
const restarts = at === -1 ? 100 : Number(process.argv[at + 1])
const programs = postgresPrograms()
if (programs === undefined || withoutRedis("test/cluster") || withoutBucket("test/cluster")) {
  console.log(
    "SKIPPED: it needs Postgres and Redis (Debian's packages `postgresql` and `redis-server`), and moto of PyPI"
  )
  process.exit(0)
}

const webhookSecret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`
const folder = mkdtempSync(join(tmpdir(), "gateway-rolling-"))
process.env["TEST_GATEWAY"] ??= await bundle(join(folder, "program"))
const outside = await spawn("outside.ts", { WEBHOOK_SECRET: webhookSecret, WEATHER: "0", MEDIA: "here" })
const [postgres, redis, bucket] = await Promise.all([startPostgres(programs), startRedis(), startBucket()])
const balancer = startBalancer()
const audit = auditOf(postgres.url)
const world = {
  folder,
  outside: outside.url,
  database: postgres.url,
  redis: redis.url,
  bucket: bucket.env,
  webhookSecret
}
// The balancer asks three times a second whether a node is ready: it serves on until that is noticed. A new one warms up
// before it says so, as upgrades have it.
const nodes = nodesOf({ ...world, balancer, audit, env: { GATEWAY_LEAVE_SECONDS: "1" } })
const running = [await nodes.start("one"), await nodes.start("two"), await nodes.start("three")]
for (const { gateway } of running) await isReady(gateway.url)

/** Two of them take the next version, with its schema, and the third goes on beside them; then it follows. */
const newer = await newerGateway(join(folder, "newer"))
const mixed = Math.min(10, restarts - 1)
const nextOf = (restart: number) => running[restart < mixed ? restart % 2 : (restart + mixed) % running.length]

const told = newTextsTold()
let isOver = false
const clients = Array.from({ length: 8 }, () =>
  textClients(balancer.url, told)(
    () => isOver,
    () => isOver
  )
)
const codes: Array<number> = []
const begun = performance.now()
for (let restart = 0; restart < restarts; restart++) {
  const node = nextOf(restart)
  if (node === undefined) continue
  node.program = newer
  const { code, said } = await nodes.restart(node, "SIGTERM")
  // As docs/deployment.md has it: only then the next one.
  await isReady(node.gateway.url)
  codes.push(code)
  if (code !== 0) console.log(said.slice(-1_000))
  if (restart % 10 === 9) console.log(`${restart + 1} restarts, ${told.asked} requests, ${told.broken} broken`)
}
isOver = true
await Promise.all(clients)
const seconds = Math.round((performance.now() - begun) / 1_000)
const refused = [...told.refused.values()].reduce((sum, n) => sum + n, 0)
console.table({
  restarts,
  "of them with both versions": mixed,
  seconds,
  requests: told.asked,
  answered: told.answered.size + told.byKey.size,
  "connections broken": told.broken,
  refused,
  "exit codes other than 0": codes.filter((code) => code !== 0).length
})
for (const [what, times] of told.refused) console.log(`${times} times ${what}`)
for (const { gateway } of running) gateway.signal("SIGKILL")
outside.signal("SIGKILL")
balancer.stop()
await audit.close()
await Promise.all([redis.dispose(), postgres.dispose(), bucket.stop()])
rmSync(folder, { recursive: true, force: true })
process.exit(told.broken + refused + codes.filter((code) => code !== 0).length === 0 ? 0 : 1)
