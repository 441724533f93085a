import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, loadavg, totalmem } from "node:os"
import { resolve } from "node:path"
import { free, streams, whole } from "./measure.ts"
import type { Pace } from "./measure.ts"
import { cores, run } from "./running.ts"
import type { Running } from "./running.ts"
import { bodies, casesOf, dialectOf, paths, wholeBodies } from "./System.ts"
import type { Ask, System } from "./System.ts"
import { bareBun, systems } from "./systems.ts"
import { between, merged, page } from "./table.ts"
import type { Figures, Results } from "./table.ts"
import { residentMegabytes } from "./tree.ts"
import { startUpstream } from "./upstream.ts"

/**
 * `bun run test:long bench:peers [--write] [--only WORD OF A NAME]`: this build beside bare proxies and the gateways that
 * `GOMODEL_BIN`, `HUB_BIN`, `LITELLM_BIN` and `PORTKEY_DIR` name, one after the other, each beside the bare Bun proxy.
 * `--write` puts the table into docs/performance.md, with the last figures of those that were not measured now, after each.
 * `BENCH_SECONDS`, `BENCH_ROUNDS` and `BENCH_WARM` make it shorter than three rounds of 3 s after 24 s of warm-up at most.
 */
const root = resolve(import.meta.dirname, "../../..")
const kept = resolve(import.meta.dirname, "results.json")
const args = process.argv.slice(2)
const only = args.includes("--only") ? (args[args.indexOf("--only") + 1] ?? "") : ""
const isQuick = process.env["BENCH_QUICK"] !== undefined
const given = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise)
const pace: Pace = isQuick
  ? { seconds: 1, rounds: 1, warm: 2 }
  : { seconds: given("BENCH_SECONDS", 3), rounds: given("BENCH_ROUNDS", 3), warm: given("BENCH_WARM", 24) }
const many = isQuick ? 100 : 1_000

const upstream = await startUpstream()
const bare = await run(bareBun, upstream, cores.system)

const started = async <A>(system: System, core: string | undefined, use: (running: Running) => Promise<A>) => {
  const running = await run(system, upstream, core)
  try {
    return await use(running)
  } finally {
    await running.stop()
  }
}

const measured = async (system: System, direct: Figures["direct"]): Promise<Figures> => {
  const say = (line: string) => console.error(`${system.name}: ${line}`)
  const starts: Array<number> = []
  const idles: Array<number> = []
  for (let round = 0; round < pace.rounds; round++) {
    await started(system, cores.system, async ({ pid, startMs }) => {
      starts.push(startMs)
      await Bun.sleep(3_000)
      idles.push(residentMegabytes(pid))
    })
  }
  const middle = (values: Array<number>) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
  say(`starts in ${middle(starts).toFixed(0)} ms, ${middle(idles).toFixed(0)} MB`)
  const wholes: Record<string, Figures["wholes"][string]> = {}
  for (const [what, ask] of casesOf(system.wholes)) {
    const dialect = dialectOf(what)
    const text = upstream.texts[dialect]
    const figures = await started(system, cores.system, (running) => {
      // In the upstream's dialect, for they translate nothing.
      const beside = { ask: { path: paths[dialect], headers: {}, body: wholeBodies[dialect] }, text }
      const targets = { bare: { running: bare, ...beside }, upstream: { running: upstream, ...beside } }
      return whole({ running, ask, text }, targets, pace)
    })
    const alone = await started(system, undefined, (running) => free({ running, ask, text }, running.pid, pace))
    wholes[what] = { ...figures, free: alone }
    say(`${what}: ${JSON.stringify(wholes[what])}`)
  }
  const streamed: Record<string, Figures["streams"][string]> = {}
  for (const [what, ask] of casesOf(system.streams)) {
    streamed[what] = await started(system, cores.system, (running) => streams(running, ask, many, pace.rounds))
    say(`streams, ${what}: ${JSON.stringify(streamed[what])}`)
  }
  const { lacks, name, settings, version } = system
  return {
    name,
    version,
    settings,
    lacks,
    startMs: middle(starts),
    idle: middle(idles),
    wholes,
    streams: streamed,
    direct,
    at: new Date().toISOString().slice(0, 16).replace("T", " ")
  }
}

const found: Array<Figures> = []
const before = !isQuick && existsSync(kept) ? (JSON.parse(readFileSync(kept, "utf8")) as Results) : undefined
const [processor] = cpus()
const machine = `${cpus().length} cores (${processor?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB; ${pace.rounds} rounds of ${pace.seconds} s; ${loadavg()[0]?.toFixed(1)} processes wanted a core when it began.`
let isWrong = false
try {
  const messages = (model: string): Ask => ({ path: "/v1/messages", headers: {}, body: bodies.messageStream(model) })
  const chat = (model: string): Ask => ({ path: "/v1/chat/completions", headers: {}, body: bodies.chatStream(model) })
  const ofChat = await streams(upstream, chat, many, pace.rounds)
  const direct = {
    "messages passed through": await streams(upstream, messages, many, pace.rounds),
    "chat passed through": ofChat,
    "messages to a chat upstream": ofChat
  }
  console.error(`the upstream itself: ${JSON.stringify(direct)}`)
  for (const system of systems(only)) {
    try {
      found.push(await measured(system, direct))
    } catch (error) {
      // One that does not start keeps none of the others away.
      isWrong = true
      console.error(error)
      continue
    }
    const results = merged(before, { machine, systems: found })
    if (!isQuick) writeFileSync(kept, `${JSON.stringify(results, null, 2)}\n`)
    if (args.includes("--write")) {
      const file = resolve(root, "docs/performance.md")
      writeFileSync(file, between(readFileSync(file, "utf8"), "peers", page(results)))
    }
  }
  console.log(page(merged(before, { machine, systems: found })))
} finally {
  await bare.stop()
  upstream.stop()
}
process.exit(isWrong ? 1 : 0)
