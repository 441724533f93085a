/**
 * A rollout as Kubernetes does it with the chart (deploy/helm): a fourth pod, which is sent requests once it is ready; then
 * one of the three is told to end, and some seconds later the rules of the Service no longer send to it. Nothing asks it
 * whether it is ready, and nothing tries a second pod. Clients of every family, keeping connections, long streams and videos
 * go on meanwhile: none of their requests fails.
 *
 *   bun run test:long kubernetes [--rollouts 5]
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Schema } from "effect"
import { parse } from "yaml"
import { isReady } from "../bench/processes.ts"
import { bundle } from "../e2e/program.ts"
import { testKey } from "../e2e/process.ts"
import { spawn } from "../faults/processes.ts"
import { startBucket, withoutBucket } from "../files/bucketServer.ts"
import { startRedis, withoutRedis } from "../limits/redisServer.ts"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import { auditOf } from "./audit.ts"
import { startBalancer } from "./balancer.ts"
import { askAs, familyClient, newFamiliesTold } from "./families.ts"
import { newerGateway } from "./newer.ts"
import { nodesOf } from "./nodes.ts"
import type { Node } from "./nodes.ts"
import { KeepingClient } from "./workers/keepingClient.ts"

const at = process.argv.indexOf("--rollouts")
const rollouts = at === -1 ? 5 : Number(process.argv[at + 1])
const programs = postgresPrograms()
if (programs === undefined || withoutRedis("test/cluster") || withoutBucket("test/cluster")) {
  console.log(
    "SKIPPED: it needs Postgres and Redis (Debian's packages `postgresql` and `redis-server`), and moto of PyPI"
  )
  process.exit(0)
}

const chart = resolve(import.meta.dirname, "../../deploy/helm/model-gateway")
const { drainSeconds, leaveSeconds } = Schema.decodeUnknownSync(
  Schema.Struct({ leaveSeconds: Schema.Int, drainSeconds: Schema.Int })
)(parse(readFileSync(join(chart, "values.yaml"), "utf8")))
const [, minReadySeconds = ""] =
  /minReadySeconds: (\d+)/.exec(readFileSync(join(chart, "templates/deployment.yaml"), "utf8")) ?? []

/** How long it takes until no node of the cluster sends to a pod that ends, in ms: half of what the chart allows for. */
const latestMs = 500 * leaveSeconds

const webhookSecret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`
const folder = mkdtempSync(join(tmpdir(), "gateway-kubernetes-"))
process.env["TEST_GATEWAY"] ??= await bundle(join(folder, "program"))
const newer = await newerGateway(join(folder, "newer"))
const outside = await spawn("outside.ts", { WEBHOOK_SECRET: webhookSecret, WEATHER: "0", MEDIA: "here" })
const [postgres, redis, bucket] = await Promise.all([startPostgres(programs), startRedis(), startBucket()])
const balancer = startBalancer(true)
const audit = auditOf(postgres.url)
const nodes = nodesOf({
  folder,
  outside: outside.url,
  database: postgres.url,
  redis: redis.url,
  bucket: bucket.env,
  webhookSecret,
  balancer,
  audit,
  env: { GATEWAY_LEAVE_SECONDS: String(leaveSeconds), GATEWAY_DRAIN_SECONDS: String(drainSeconds) }
})

let made = 0
/** Pods in the Service, the oldest first. */
let pods: ReadonlyArray<Node> = []
const addPod = async (program?: string) => {
  const pod = await nodes.start(`pod-${made++}`, program)
  await isReady(pod.gateway.url)
  pods = [...pods, pod]
}
for (let n = 0; n < 3; n++) await addPod()

const told = newFamiliesTold()
let isOver = false
const families = Array.from({ length: 6 }, () =>
  familyClient(
    balancer.url,
    told,
    () => isOver,
    () => false
  )
)
/** Streams that last for longer than a pod serves on once it has to end. */
const streams = { ended: 0, broken: 0 }
const stream = async () => {
  while (!isOver) {
    const words = Math.round(3 * leaveSeconds)
    const messages = [{ role: "user", content: `[[sandbox: tokens=${words} pace=500ms]] go on` }]
    const body = { model: "text", max_tokens: 200, stream: true, messages }
    const text = await askAs(balancer.url, testKey, "/v1/messages", body).then(
      (response) => response.text(),
      (error: unknown) => String(error)
    )
    if (text.includes("message_stop")) streams.ended++
    else streams.broken++
  }
}
const longStreams = Array.from({ length: 4 }, stream)
const body = JSON.stringify({ model: "text", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] })
const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" }
const { port } = new URL(balancer.url)
const keeping = Array.from({ length: 4 }, () => new KeepingClient(Number(port), "/v1/messages", headers, body))
const kept = Promise.all(keeping.map((client) => client.run()))

const codes: Array<number> = []
const endings: Array<number> = []
const begun = performance.now()
/** Every pod is replaced by one of the next version, whose schema has more in it. */
for (let rollout = 0; rollout < rollouts; rollout++) {
  for (const former of pods) {
    await addPod(newer)
    await Bun.sleep(1_000 * Number(minReadySeconds))
    const told = performance.now()
    former.gateway.signal("SIGTERM")
    await Bun.sleep(Math.random() * latestMs)
    former.leave()
    codes.push(await former.gateway.exited)
    endings.push((performance.now() - told) / 1_000)
    pods = pods.filter((pod) => pod !== former)
  }
  console.log(`${rollout + 1} rollouts, ${streams.ended} long streams ended, ${streams.broken} broken`)
}
isOver = true
for (const client of keeping) client.stop()
await Promise.all([...families, ...longStreams])
const seen = await kept

let unwell = 0
for (const [path, key] of told.tasks) {
  for (;;) {
    const answer = (await (await askAs(balancer.url, key, path)).json()) as { status: string; error?: unknown }
    if (/queued|running|in_progress|pending/.test(answer.status)) {
      await Bun.sleep(100)
      continue
    }
    if (!/succeeded|completed|success/.test(answer.status)) unwell++
    break
  }
}
const refused = [...told.refused.values()].reduce((sum, n) => sum + n, 0)
const failures = {
  refused,
  "connections broken": told.broken,
  "long streams broken": streams.broken,
  "failures of kept connections": seen.flatMap((one) => one.failures).length,
  "tasks that did not end well": unwell,
  "exit codes other than 0": codes.filter((code) => code !== 0).length,
  "pods that took longer than the grace period": endings.filter((s) => s > leaveSeconds + drainSeconds + 15).length
}
console.table({
  rollouts,
  "pods replaced": codes.length,
  seconds: Math.round((performance.now() - begun) / 1_000),
  "requests of families": [...told.answered.values()].reduce((sum, n) => sum + n, 0),
  "requests on kept connections": seen.reduce((sum, { answers }) => sum + answers, 0),
  "long streams": streams.ended,
  "tasks, videos among them": told.tasks.size,
  "seconds until a pod had ended, at most": Math.ceil(Math.max(...endings)),
  ...failures
})
for (const [what, times] of told.refused) console.log(`${times} times ${what}`)
for (const failure of seen.flatMap((one) => one.failures).slice(0, 20)) console.log(failure)
for (const { gateway } of pods) gateway.signal("SIGKILL")
outside.signal("SIGKILL")
balancer.stop()
await audit.close()
await Promise.all([redis.dispose(), postgres.dispose(), bucket.stop()])
rmSync(folder, { recursive: true, force: true })
process.exit(Object.values(failures).every((n) => n === 0) ? 0 : 1)
