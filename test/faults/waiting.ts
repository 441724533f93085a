/**
 * Ten thousand video tasks that wait for a slow upstream in one process: claims stay quick, memory small, and every one
 * ends.
 *
 *   bun test/faults/waiting.ts [--tasks 10000]
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { spawn } from "./processes.ts"
import type { WorldLog } from "./world.ts"

const at = process.argv.indexOf("--tasks")
const count = at === -1 ? 10_000 : Number(process.argv[at + 1])

interface State {
  readonly states: ReadonlyArray<{ state: string; n: number }>
  readonly active: number
  readonly claims: number
  readonly claimMs: ReadonlyArray<number>
  readonly oldestExpiredLeaseMs: number
  readonly rss: number
}

const folder = mkdtempSync(join(tmpdir(), "gateway-waiting-"))
const world = await spawn("world.ts", { RENDER_MS: "40000", WEATHER: "0" })
const host = await spawn("host.ts", {
  DATABASE: join(folder, "gateway.db"),
  WORLD: world.url,
  HINTS: "no",
  CALLBACKS: "no"
})
const stateOf = async () => (await (await fetch(`${host.url}state`)).json()) as State
const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)

const idle = await stateOf()
const begun = performance.now()
const seconds = () => Math.round((performance.now() - begun) / 1_000)
let left = count
await Promise.all(
  Array.from({ length: 32 }, async () => {
    while (left-- > 0) await (await fetch(`${host.url}tasks`, { method: "POST", body: "seeing" })).json()
  })
)
const createdIn = seconds()
let state = await stateOf()
let rss = state.rss
let late = 0
while (state.active > 0 && seconds() < 300) {
  await Bun.sleep(1_000)
  state = await stateOf()
  rss = Math.max(rss, state.rss)
  late = Math.max(late, state.oldestExpiredLeaseMs)
}
const log = (await (await fetch(`${world.url}log`)).json()) as WorldLog
host.signal("SIGKILL")
world.signal("SIGKILL")
rmSync(folder, { recursive: true })

const [p50 = 0, p99 = 0, most = 0] = state.claimMs
console.table({
  tasks: count,
  "created in s": createdIn,
  "all ended after s": seconds(),
  "not ended": state.active,
  "submitted twice": log.submits.length - new Set(log.submits).size,
  polls: log.polls,
  claims: state.claims,
  "claim p50 ms": p50.toFixed(2),
  "claim p99 ms": p99.toFixed(2),
  "claim max ms": most.toFixed(2),
  "oldest expired lease ms": late,
  "RSS idle MB": megabytes(idle.rss),
  "RSS most MB": megabytes(rss)
})
process.exit(state.active === 0 && log.submits.length === count ? 0 : 1)
