import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { resolve } from "node:path"
import { load, loadedBy } from "./load.ts"
import { svg } from "./plot.ts"
import { passes, table } from "./Row.ts"
import type { Row } from "./Row.ts"
import { manyStreams, streamRows } from "./rows/streams.ts"
import { syncRows } from "./rows/sync.ts"
import { startRows, storedRows, taskRows } from "./rows/tasks.ts"
import { configuration, start } from "./setting.ts"
import type { Setting } from "./setting.ts"

/**
 * `bun run bench [--check] [--write] [P1 …]`: measures the promises about speed, each process apart, in interleaved
 * rounds. `--check` fails where one is missed; `--write` puts table and plots into docs/performance.md.
 */
const root = resolve(import.meta.dirname, "../..")
const args = process.argv.slice(2)
const only = args.filter((arg) => !arg.startsWith("--"))
const wants = (...promises: ReadonlyArray<string>) => only.length === 0 || promises.some((one) => only.includes(one))

const rows: Array<Row> = []
const plots: Record<string, string> = {}
const take = (more: ReadonlyArray<Row>) => {
  rows.push(...more)
  for (const row of more) console.error(table([row]).split("\n").at(-1))
}

/** Throughput and p99 as connections grow. */
const connectionCurve = async ({ gateway, headers, proxy }: Setting) => {
  const body = JSON.stringify({ model: "json-2000", max_tokens: 1000, messages: [{ role: "user", content: "Hi" }] })
  const counts = [1, 8, 32, 128, 512]
  const curve = async (url: string) => {
    const points = []
    for (const connections of counts) {
      points.push([
        connections,
        await load({ url: `${url}/v1/messages`, body, headers, connections, seconds: 3 })
      ] as const)
    }
    return points
  }
  const [own, bare] = [await curve(gateway.url), await curve(proxy.url)]
  for (const [file, title, y, of] of [
    ["rps", "Synchronous passthrough of 2 KB: throughput", "requests/s", "perSecond"],
    ["p99", "Synchronous passthrough of 2 KB: p99", "ms", "p99"]
  ] as const) {
    plots[`connections-${file}`] = svg({
      title,
      x: "connections",
      y,
      isXLogarithmic: true,
      lines: [
        { name: "gateway", points: own.map(([x, one]) => [x, one[of]] as const) },
        { name: "bare proxy", points: bare.map(([x, one]) => [x, one[of]] as const) }
      ]
    })
  }
}

if (loadedBy === "Bun") {
  console.error(
    "wrk is not here (Debian's package of that name): the load comes from Bun, which takes a share of the cores."
  )
  if (args.includes("--check")) {
    console.error("--check compares with what was reached beside wrk, and has no say without it.")
    process.exit(2)
  }
}

// First: the disk is still writing P6's million rows when that is over.
if (wants("P7")) take(await startRows())
if (wants("P1", "P2", "P3", "P4", "P5")) {
  const setting = await start()
  try {
    console.error(`The gateway's configuration:\n\n${configuration("<upstream>")}`)
    if (setting.portkey === undefined) console.error("Portkey's gateway is not measured: PORTKEY_DIR is not set.\n")
    if (wants("P1", "P2")) take(await syncRows(setting))
    if (wants("P1") && args.includes("--write")) await connectionCurve(setting)
    if (wants("P3")) take(await streamRows(setting))
    if (wants("P4")) {
      const many = await manyStreams(setting, args.includes("--write"))
      take(many.rows)
      plots["streams-memory"] = svg({
        title: "Resident memory by concurrent streams",
        x: "streams",
        y: "MB",
        isXLogarithmic: false,
        lines: [{ name: "gateway", points: many.curve.map(([x, bytes]) => [x, bytes / 1024 / 1024] as const) }]
      })
    }
    if (wants("P5")) take(await taskRows(setting))
  } finally {
    await setting.stop()
  }
}
if (wants("P6")) {
  const stored = await storedRows(args.includes("--write"))
  take(stored.rows)
  plots["stored-tasks"] = svg({
    title: "p99 by stored tasks (beside 100,000 keys)",
    x: "finished tasks",
    y: "ms",
    isXLogarithmic: true,
    lines: (["create", "read", "claim"] as const).map((name) => ({
      name,
      points: stored.curve.sizes.map((size, index) => [size, stored.curve.p99[name][index] ?? NaN] as const)
    }))
  })
}

const commit = Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { cwd: root }).stdout.toString().trim()
const machine = `${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, Bun ${Bun.version}, load by ${loadedBy}, commit ${commit}`
console.log(`${machine}\n\n${table(rows)}`)
writeFileSync(resolve(import.meta.dirname, "results.json"), `${JSON.stringify({ machine, rows }, null, 2)}\n`)

if (args.includes("--write")) {
  mkdirSync(resolve(root, "docs/plots"), { recursive: true })
  for (const [name, picture] of Object.entries(plots)) writeFileSync(resolve(root, `docs/plots/${name}.svg`), picture)
  const page = resolve(root, "docs/performance.md")
  const pictures = Object.keys(plots).map((name) => `![${name}](plots/${name}.svg)`)
  const written = `<!-- bench -->\n${machine}\n\n${table(rows)}\n\n${pictures.join("\n\n")}\n<!-- /bench -->`
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(/<!-- bench -->[\s\S]*<!-- \/bench -->/, () => written)
  )
}
if (args.includes("--check") && !rows.every(passes)) process.exit(1)
process.exit(0)
