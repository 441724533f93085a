/**
 * Kills a real process with SIGKILL, at random moments and at each labelled crash point, while clients create, cancel and
 * read tasks; then counts what was lost, stuck, submitted twice, cancelled and yet done, or never delivered.
 *
 *   bun run test:long faults [--kills 1000]
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import type { CrashPoint } from "../../src/tasks/CrashPoints.ts"
import type { Task } from "../../src/tasks/Task.ts"
import { spawn } from "./processes.ts"
import type { Spawned } from "./processes.ts"
import { videoServiceNames } from "../upstreams/fakes/videoServices.ts"
import type { WorldLog } from "./world.ts"

const flag = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? fallback : Number(process.argv[at + 1])
}
const kills = flag("kills", 200)
const points: ReadonlyArray<CrashPoint> = [
  "claimed",
  "intended",
  "submitted",
  "recorded",
  "polled",
  "writing",
  "settled"
]

/** Every service of videos, and two upstreams that make nothing: one that can be asked for a lost submit, one that can't. */
const upstreams = ["seeing", "blind", ...videoServiceNames]

const folder = mkdtempSync(join(tmpdir(), "gateway-faults-"))
const database = join(folder, "gateway.db")
// One file starts several times faster than the sources, and is started hundreds of times.
const built = await Bun.build({
  entrypoints: [join(import.meta.dirname, "host.ts")],
  target: "bun",
  outdir: folder,
  naming: "host.js"
})
if (!built.success) throw new AggregateError(built.logs, "the host does not build")
const hostFile = join(folder, "host.js")
const world = await spawn("world.ts", {})
const env = { DATABASE: database, WORLD: world.url }

/** What the clients were told. */
const accepted: Array<string> = []
const cancelled = new Set<string>()

const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(Math.random() * list.length)] as A

/** Clients that go on whatever happens to the process; only what was acknowledged counts. */
const load = (host: Spawned, kinds: ReadonlyArray<string>, running: () => boolean) =>
  Promise.all(
    Array.from({ length: 6 }, async () => {
      while (running()) {
        try {
          const kind = pick(kinds)
          const created = await fetch(`${host.url}tasks`, { method: "POST", body: kind })
          const { id } = (await created.json()) as { id: string }
          accepted.push(id)
          if (kind !== "message" && Math.random() < 0.15) {
            await Bun.sleep(Math.random() * 60)
            const answer = await fetch(`${host.url}tasks/${id}`, { method: "DELETE" })
            if (((await answer.json()) as { cancelled: string }).cancelled === "cancelled") cancelled.add(id)
          }
          await Bun.sleep(Math.random() * 60)
        } catch {
          await Bun.sleep(20)
        }
      }
    })
  )

/** By the point, and there by the upstream whose tasks were there. */
const died: Record<string, Record<string, number>> = {}
const count = (how: string, upstream: string): void => {
  const name = how === "random" ? "all" : upstream
  const row = (died[how] ??= {})
  row[name] = (row[name] ?? 0) + 1
}
const recoveries: Array<number> = []
const starts: Array<number> = []
const begun = performance.now()

for (let kill = 0; kill < kills; kill++) {
  // Each point with each upstream, then all over again; between two of them a random moment with all.
  const turn = (kill - 1) / 2
  const point = kill % 2 === 0 ? undefined : points[turn % points.length]
  const upstream = upstreams[Math.floor(turn / points.length) % upstreams.length] ?? ""
  const crash = point === undefined ? {} : { GATEWAY_CRASH_AT: `${point}:${1 + Math.floor(Math.random() * 20)}` }
  let alive = true
  // A crash point may come before the process has begun to listen.
  const host = await spawn(hostFile, { ...env, ...crash }).catch(() => undefined)
  if (host !== undefined) {
    void host.exited.then(() => (alive = false))
    starts.push(host.startMs)
    host.said("resumed").then(
      (line) => {
        const [ms = "0", count = "0"] = line.split(" ")
        if (count !== "0") recoveries.push(Number(ms))
      },
      () => {}
    )
    const loading = load(
      host,
      point === undefined ? [...upstreams, "message"] : [upstream, upstream, "message"],
      () => alive
    )
    await Promise.race([Bun.sleep(point === undefined ? 50 + Math.random() * 500 : 3_000), host.exited])
    const byItself = !alive
    host.signal("SIGKILL")
    await host.exited
    alive = false
    await loading
    count(point === undefined || !byItself ? "random" : point, upstream)
  } else {
    count(point ?? "random", upstream)
  }
}

// One last process, left alone until everything has ended and was delivered.
const host = await spawn(hostFile, env)
interface State {
  readonly states: ReadonlyArray<{ upstream: string | null; state: string; error: string | null; n: number }>
  readonly active: number
  readonly undelivered: number
  readonly oldestExpiredLeaseMs: number
}
const stateOf = async () => (await (await fetch(`${host.url}state`)).json()) as State
const deadline = performance.now() + 120_000
let state = await stateOf()
while ((state.active > 0 || state.undelivered > 0) && performance.now() < deadline) {
  await Bun.sleep(200)
  state = await stateOf()
}

const tasks = new Map<string, Task>()
for (const id of accepted) {
  const reply = await fetch(`${host.url}tasks/${id}`)
  if (reply.status === 200) tasks.set(id, (await reply.json()) as Task)
}
const log = (await (await fetch(`${world.url}log`)).json()) as WorldLog
host.signal("SIGTERM")
const exitCode = await host.exited
world.signal("SIGKILL")

const times = (list: ReadonlyArray<string>) => {
  const counts = new Map<string, number>()
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1)
  return counts
}
const delivered = new Set(log.callbacks.filter((one) => one.answered === 200).map((one) => `${one.task}:${one.status}`))
const bodies = new Map<string, Set<string>>()
for (const { body, id } of log.callbacks) bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
const ended = [...tasks.values()].filter((task) => task.endedAtMs !== null)
const videos = ended.filter((task) => task.kind === "video")
const quantile = (list: ReadonlyArray<number>, q: number) =>
  Math.round([...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))] ?? 0)
const file = new Database(database, { readonly: true })
const [integrity] = file.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all()
file.close()

const mustBeZero = {
  lost: accepted.length - tasks.size,
  stuck: tasks.size - ended.length + (state.oldestExpiredLeaseMs > 30_000 ? 1 : 0),
  "submitted twice": [...times(log.submits).values()].filter((count) => count > 1).length,
  "cancelled and yet not": [...cancelled].filter((id) => tasks.get(id)?.state !== "cancelled").length,
  "cancelled here alone": ended.filter(
    (task) => task.state === "cancelled" && task.upstreamId !== null && !log.cancels.includes(task.id)
  ).length,
  "delivered never": videos.filter((task) => !delivered.has(`${task.id}:${task.state}`)).length,
  "one id, other bytes": [...bodies.values()].filter((seen) => seen.size > 1).length,
  "delivered twice as other ends": videos.filter(
    (task) =>
      new Set(
        log.callbacks
          .filter((one) => one.task === task.id && !["queued", "running"].includes(one.status))
          .map((one) => one.status)
      ).size > 1
  ).length,
  "integrity problems": integrity?.integrity_check === "ok" ? 0 : 1,
  "exit code of SIGTERM": exitCode
}

console.log(`\n${kills} kills in ${Math.round((performance.now() - begun) / 1_000)} s`)
console.table(died)
console.log("how the tasks ended")
console.table(
  state.states.map(({ error, n, state, upstream }) => {
    const { code, message } = JSON.parse(error ?? "{}") as { readonly code?: string; readonly message?: string }
    return { upstream, state, code, message, n }
  })
)
for (const [task, count] of times(log.submits)) {
  if (count > 1) console.log(`submitted ${count} times: ${task} (${tasks.get(task)?.upstreamId})`)
}
console.table({
  "tasks accepted": accepted.length,
  "videos submitted": log.submits.length,
  "callbacks received": log.callbacks.length,
  ...mustBeZero,
  "recovery p50 ms": quantile(recoveries, 0.5),
  "recovery p99 ms": quantile(recoveries, 0.99),
  "recoveries measured": recoveries.length,
  "start p50 ms": quantile(starts, 0.5)
})
rmSync(folder, { recursive: true })
const broken = Object.entries(mustBeZero).filter(([, count]) => count !== 0)
if (quantile(recoveries, 0.99) > 2_000) broken.push(["recovery p99 ms", quantile(recoveries, 0.99)])
if (broken.length > 0) console.log(`FAILED: ${broken.map(([what, count]) => `${what}: ${count}`).join(", ")}`)
process.exit(broken.length === 0 ? 0 : 1)
