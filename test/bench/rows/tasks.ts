import { existsSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startGateway } from "../../e2e/process.ts"
import { load, median } from "../load.ts"
import { onMachine, passedOn, promisesPerSecond, slowness } from "../machine.ts"
import { residentBytes } from "../processes.ts"
import { byTurns } from "../rounds.ts"
import type { Row } from "../Row.ts"
import { benchKey, configuration, pace } from "../setting.ts"
import type { Setting } from "../setting.ts"
import { measureStored } from "../stored.ts"
import type { Operation, Tails } from "../stored.ts"

const path = "/api/v3/contents/generations/tasks"

/** A task that stays queued for as long as the bench runs. */
const queued = JSON.stringify({
  model: "sandbox-video",
  content: [{ type: "text", text: "[[sandbox: queue=3000s]] a cat" }]
})

/** P5: creating tasks durably, and reading one. */
export const taskRows = async (setting: Setting): Promise<ReadonlyArray<Row>> => {
  const { gateway, headers, proxy, reached } = setting
  const create = () =>
    load({ url: `${gateway.url}${path}`, body: queued, headers, connections: 64, seconds: pace.seconds })
  await create()
  const creates = await byTurns({ gateway: create, proxy: () => passedOn(proxy, pace.seconds) })
  const made = await fetch(`${gateway.url}${path}`, { method: "POST", headers, body: queued })
  const { id } = (await made.json()) as { id: string }
  await load({ url: `${gateway.url}${path}/${id}`, headers, connections: 32, seconds: pace.warm })
  const reads = await byTurns({
    gateway: () => load({ url: `${gateway.url}${path}/${id}`, headers, connections: 32, seconds: pace.seconds }),
    proxy: () => load({ url: `${proxy.url}/constant`, headers, connections: 32, seconds: pace.seconds })
  })
  const slower = promisesPerSecond / creates.of.proxy.perSecond
  return [
    {
      promise: "P5",
      what: `video tasks created, each durable (SQLite, synchronous=FULL), 64 connections${onMachine(slower)}`,
      gateway: creates.of.gateway.perSecond,
      ceiling: undefined,
      unit: "tasks/s",
      compared: creates.ratio("gateway", "proxy", "perSecond") * promisesPerSecond,
      floor: 8_000,
      reached: 2_000,
      errors: creates.of.gateway.errors
    },
    {
      promise: "P5",
      what: "reading a task, against a constant answer",
      gateway: reads.of.gateway.perSecond,
      ceiling: reads.of.proxy.perSecond,
      unit: "req/s",
      ...reads.compared("gateway", "proxy", "perSecond"),
      floor: 0.3,
      reached: reached({ usual: 0.3, quickKernel: 0.22 }),
      errors: reads.of.gateway.errors + reads.of.proxy.errors
    }
  ]
}

interface Curve {
  readonly sizes: ReadonlyArray<number>
  /** p99 in ms, by operation, one for each size. */
  readonly p99: Tails
}

/**
 * P6: the same with a thousand finished tasks and with a million, beside 100,000 keys.
 *
 * @param isDrawn whether there are to be sizes in between, for a curve
 */
export const storedRows = async (
  isDrawn: boolean
): Promise<{ readonly rows: ReadonlyArray<Row>; readonly curve: Curve }> => {
  const quick = process.env["BENCH_QUICK"] !== undefined
  const sizes = quick ? [1_000, 10_000] : [1_000, ...(isDrawn ? [10_000, 100_000] : []), 1_000_000]
  // Of the same size one database is slower than another for as long as it is open: several are compared.
  const sets: Array<ReadonlyArray<Tails>> = []
  for (let round = 0; round < (quick ? 1 : 3); round++) sets.push(await measureStored(sizes, quick ? 300 : 8_000))
  /** Of each set the median of its stretches, and of the sets theirs: an odd set has no say. */
  const medianOf = (of: (stretch: Tails) => number) => median(sets.map((stretches) => median(stretches.map(of))))
  const tails = (operation: Operation) => sizes.map((_, size) => medianOf((stretch) => stretch[operation][size] ?? NaN))
  const p99 = { create: tails("create"), read: tails("read"), claim: tails("claim"), key: tails("key") }
  const rows = (["create", "read", "claim", "key"] as const).map((operation): Row => {
    const [least = NaN, most = NaN] = [p99[operation][0], p99[operation].at(-1)]
    return {
      promise: "P6",
      what: `p99 of one ${operation === "key" ? "key look-up" : operation}: ${sizes.at(-1)?.toLocaleString("en")} finished tasks against ${sizes[0]?.toLocaleString("en")}`,
      gateway: most,
      ceiling: least,
      unit: "ms",
      compared: medianOf((stretch) => growth(stretch[operation])),
      most: 1.2,
      errors: 0
    }
  })
  return { rows, curve: { sizes, p99 } }
}

const growth = (p99: ReadonlyArray<number>) => (p99.at(-1) ?? NaN) / (p99[0] ?? NaN)

interface Start {
  readonly firstMs: number
  readonly megabytes: number
}

/** Starts the binary as its users do: until its first answer and until it is ready, in ms, and its memory at rest. */
const started = async (yaml: string): Promise<Start> => {
  const binary = resolve(import.meta.dirname, "../../../dist/gateway")
  if (!existsSync(binary)) throw new Error("dist/gateway is missing: bun run build makes it")
  const folder = mkdtempSync(join(tmpdir(), "gateway-start-"))
  writeFileSync(join(folder, "gateway.yaml"), yaml)
  const begun = performance.now()
  const gateway = await startGateway({
    command: [binary, "serve"],
    folder,
    // Checking answers is the tests'.
    env: { GATEWAY_BOOTSTRAP_KEY: benchKey, GATEWAY_CHECK_ANSWERS: "false" }
  })
  const response = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${benchKey}` } })
  if (response.status !== 200) throw new Error(`the binary answered ${response.status}`)
  await response.body?.cancel()
  const firstMs = performance.now() - begun
  await Bun.sleep(3_000)
  const megabytes = residentBytes(gateway.pid) / 1024 / 1024
  await gateway.dispose()
  return { firstMs, megabytes }
}

/** P7: the binary's first answer, and its memory when idle; alone, and with three upstreams. */
export const startRows = async (): Promise<ReadonlyArray<Row>> => {
  const before = await slowness()
  const alone: Array<Start> = []
  const withUpstreams: Array<Start> = []
  for (let round = 0; round < 5; round++) {
    alone.push(await started(""))
    withUpstreams.push(await started(configuration("http://127.0.0.1:9")))
  }
  // A start is objects and few system calls: a quick kernel makes it no quicker.
  const slower = Math.max(1, (before + (await slowness())) / 2)
  const of = (starts: ReadonlyArray<Start>, what: keyof Start) => median(starts.map((start) => start[what]))
  const row = (what: string, gateway: number, unit: string): Row => ({
    promise: "P7",
    what,
    gateway,
    ceiling: undefined,
    unit,
    compared: unit === "ms" ? gateway / slower : gateway,
    errors: 0
  })
  return [
    // Half as long again when its disk is busy.
    {
      ...row(`the binary's start to its first answer${onMachine(slower)}`, of(alone, "firstMs"), "ms"),
      most: 200,
      reached: 400
    },
    { ...row("resident memory of the idle binary", of(alone, "megabytes"), "MB"), most: 95, reached: 140 },
    row("the start with three upstreams to its first answer", of(withUpstreams, "firstMs"), "ms"),
    row("resident memory after that, idle", of(withUpstreams, "megabytes"), "MB")
  ]
}
