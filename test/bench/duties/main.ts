import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { load, median } from "../load.ts"
import { cpuMicros, startScript } from "../processes.ts"
import { start } from "../setting.ts"
import { steps } from "./steps.ts"

/**
 * `bun run test:long bench:duties [--rounds 5] [--seconds 2] [--write]`: what each of a gateway's duties costs in plain calls, added
 * one after the other to the bare proxy (`server.ts`), and the gateway beside them: how much of what it costs is what is
 * asked of it on this engine, and how much is how it is made.
 */
const option = (name: string, usual: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? usual : Number(process.argv[at + 1])
}
const rounds = option("rounds", 5)
const seconds = option("seconds", 2)
if (![rounds, seconds].every((one) => Number.isInteger(one) && one > 0)) {
  console.error("bench:duties [--rounds N] [--seconds S] [--write]")
  process.exit(2)
}

interface Target {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly perSecond: Array<number>
  /** µs of the processor a request, all threads. */
  readonly cpu: Array<number>
}

const unseen = () => ({ perSecond: [], cpu: [] })
const setting = await start()
const stops: Array<() => void> = []
const folder = mkdtempSync(join(tmpdir(), "gateway-duties-"))
const page = resolve(import.meta.dirname, "../../../docs/performance.md")
const place = /<!-- duties -->[\s\S]*<!-- \/duties -->/
try {
  const targets: Array<Target> = []
  for (const [step, what] of steps) {
    const server = await startScript("duties/server.ts", setting.upstream.url, step, folder)
    stops.push(server.stop)
    targets.push({ name: `${targets.length === 0 ? "" : "+ "}${what}`, ...server, ...unseen() })
  }
  const { pid, url } = setting.gateway
  targets.push({ name: "**this gateway**", pid, url, ...unseen() })
  const body = JSON.stringify({
    model: "json-2000",
    max_tokens: 1000,
    messages: [{ role: "user", content: "Say something of this length." }]
  })
  const answered = async ({ url }: Target, time: number) => {
    const seen = await load({
      url: `${url}/v1/messages`,
      body,
      headers: setting.headers,
      connections: 32,
      seconds: time
    })
    if (seen.errors > 0) throw new Error(`${url} answered ${seen.errors} requests wrongly`)
    return seen
  }
  for (const target of targets) await answered(target, target === targets.at(-1) ? 10 : 3)
  for (let round = 0; round < rounds; round++) {
    console.error(` … round ${round + 1} of ${rounds}`)
    for (const target of targets) {
      const before = cpuMicros(target.pid)
      const { perSecond } = await answered(target, seconds)
      target.perSecond.push(perSecond)
      target.cpu.push((cpuMicros(target.pid) - before) / (perSecond * seconds))
    }
  }
  const [bare] = targets
  /** The median of the rounds' shares. */
  const share = ({ perSecond }: Target) =>
    median(perSecond.map((rate, round) => rate / (bare?.perSecond[round] ?? NaN))).toFixed(2)
  const table = [
    "| what is done | requests/s | of the bare proxy | CPU, µs |",
    "|---|--:|--:|--:|",
    ...targets.map((target) => {
      const rate = Math.round(median(target.perSecond)).toLocaleString("en")
      return `| ${target.name} | ${rate} | ${share(target)} | ${median(target.cpu).toFixed(0)} |`
    })
  ].join("\n")
  console.log(table)
  if (process.argv.includes("--write")) {
    const text = readFileSync(page, "utf8")
    if (!place.test(text)) throw new Error(`${page} has no place for the table`)
    writeFileSync(
      page,
      text.replace(place, () => `<!-- duties -->\n${table}\n<!-- /duties -->`)
    )
  }
} finally {
  for (const stop of stops) stop()
  rmSync(folder, { recursive: true, force: true })
  await setting.stop()
}
process.exit(0)
