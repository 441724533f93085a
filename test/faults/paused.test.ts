import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { spawn } from "./processes.ts"
import type { Spawned } from "./processes.ts"

const count = 20

let folder = ""
let world: Spawned
const hosts: Array<Spawned> = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "gateway-paused-"))
  world = await spawn("world.ts", { MESSAGE_MS: "3000" })
})

afterEach(async () => {
  for (const one of [world, ...hosts.splice(0)]) {
    one.signal("SIGKILL")
    await one.exited
  }
  rmSync(folder, { recursive: true })
})

const startHost = async (leaseMs: number) => {
  const env = { DATABASE: join(folder, "gateway.db"), WORLD: world.url, SHARED: "yes", LEASE_MS: String(leaseMs) }
  const host = await spawn("host.ts", env)
  hosts.push(host)
  return host
}

interface State {
  readonly turns: number
  readonly active: number
}

const until = async (host: Spawned, isSo: (state: State) => boolean) => {
  for (;;) {
    const state = (await (await fetch(`${host.url}state`)).json()) as State
    if (isSo(state)) return state
    await Bun.sleep(10)
  }
}

/** Tasks made by a process, all of them begun and some of them by it. */
const allRunning = async (host: Spawned) => {
  await Promise.all(Array.from({ length: count }, () => fetch(`${host.url}tasks`, { method: "POST", body: "message" })))
  while (rows().some((row) => row.state === "queued")) await Bun.sleep(10)
  expect((await until(host, () => true)).turns).toBeGreaterThan(0)
}

interface Row {
  readonly state: string
  readonly changes: number
  readonly lease_token: string | null
  readonly next_run_at: number
}

const rows = () => {
  const file = new Database(join(folder, "gateway.db"), { readonly: true })
  const all = file.query<Row, []>("SELECT * FROM tasks ORDER BY id").all()
  file.close()
  return all
}

describe("a process that was paused while its tasks were handed on", () => {
  it("changes nothing when it goes on: its successor took them at once", async () => {
    const paused = await startHost(600_000)
    await allRunning(paused)
    paused.signal("SIGSTOP")
    const successor = await startHost(600_000)
    await until(successor, (state) => state.active === 0)
    const before = rows()
    expect(before.map((row) => row.state)).toEqual(Array.from({ length: count }, () => "succeeded"))
    paused.signal("SIGCONT")
    // Its answers have come meanwhile; it stores each, or tries to.
    await until(paused, (state) => state.turns === 0)
    expect(rows()).toEqual(before)
  })

  it("changes nothing when it goes on: its leases ran out", async () => {
    const other = await startHost(600_000)
    const paused = await startHost(1_500)
    await allRunning(paused)
    paused.signal("SIGSTOP")
    while (rows().some((row) => row.lease_token !== null && row.next_run_at > Date.now())) await Bun.sleep(10)
    // Nothing tells the other, which looks by itself within a minute: a task of its own makes it look now.
    await fetch(`${other.url}tasks`, { method: "POST", body: "message" })
    await until(other, (state) => state.active === 0)
    const before = rows()
    // queued, running, succeeded: each once, by either of them.
    expect(before.map((row) => [row.state, row.changes])).toEqual(
      Array.from({ length: count + 1 }, () => ["succeeded", 3])
    )
    paused.signal("SIGCONT")
    await until(paused, (state) => state.turns === 0)
    expect(rows()).toEqual(before)
  })
})
