import { resolve } from "node:path"
import { corpus } from "./corpus.ts"
import type { Hostile } from "./Hostile.ts"
import { Measuring, mayPauseMs, mebibytesOf, mostGrownBytes } from "./measure.ts"
import type { Measured } from "./measure.ts"
import { startUpstream } from "./upstream.ts"

/*
 * What hostile bodies do to a gateway: the longest pause of its event loop while it answers one, what its memory grows by,
 * and how soon it hears SIGTERM meanwhile. `--short` takes the worst of them; `--before <folder>` measures the sources of
 * another folder beside these; `--only <text>` takes those whose name holds the text (`streams`: what others wait beside
 * long streams); `--no-stop` leaves SIGTERM out, after which a process begins anew. Fails where a promise is broken.
 */

const args = process.argv.slice(2)
const valueOf = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined)
const isShort = args.includes("--short")
const hearsStop = !args.includes("--no-stop")
const only = valueOf("--only")
const before = valueOf("--before")

const mostStopMs = 1_000

const upstream = startUpstream()
const measuring = (root: string) => new Measuring(resolve(root, "src/main.ts"), `http://127.0.0.1:${upstream.port}`)
const own = measuring(resolve(import.meta.dirname, "../../.."))
const other = before === undefined ? undefined : measuring(before)

const ms = (value: number) => (value === Infinity ? "> 60,000" : Math.round(value).toLocaleString("en-US"))
const told = ({ grownBytes, pauseMs, status }: Measured) =>
  `${status ?? "none"} | ${ms(pauseMs)} | ${Math.round(grownBytes / 1_048_576)}`

const chosen = corpus.filter(
  ({ isShort: isOfShort, name }) => (!isShort || isOfShort === true) && (only === undefined || name.includes(only))
)
const heads = ["body", "endpoint", "MiB", "status", "pause, ms", "MiB grown", "may pause, ms", "hears SIGTERM, ms"]
const earlier = other === undefined ? [] : ["before: status", "before: pause, ms", "before: MiB grown"]
console.log(`| ${[...heads, ...earlier].join(" | ")} |`)
console.log(`|${[...heads, ...earlier].map(() => "---|").join("")}`)

let broken = 0
const row = async (hostile: Hostile) => {
  const body = hostile.body()
  const measured = await own.measure(hostile, body)
  const stopMs = hearsStop ? await own.hearsStop(hostile, body) : undefined
  const allowedMs = mayPauseMs(hostile, body)
  const isKept =
    measured.status !== undefined &&
    // An upstream's fault is told as one: families differ in its status.
    (measured.status < 500 || hostile.answerBytes !== undefined) &&
    measured.pauseMs <= allowedMs &&
    measured.grownBytes <= mostGrownBytes &&
    (stopMs ?? 0) <= mostStopMs
  if (!isKept) broken++
  const cells = [
    isKept ? hostile.name : `**${hostile.name}**`,
    hostile.path,
    mebibytesOf({ ...hostile, answerBytes: 0 }, body).toFixed(2),
    told(measured),
    ms(allowedMs),
    stopMs === undefined ? "" : ms(stopMs)
  ]
  if (other !== undefined) cells.push(told(await other.measure(hostile, body)))
  console.log(`| ${cells.join(" | ")} |`)
}

try {
  for (const hostile of chosen) await row(hostile)
  if (only === undefined || only === "streams") {
    console.log(
      "\n| others' p99 | alone, ms | beside ten streams of 100,000 tokens | beside twenty paused readers | longest pause |"
    )
    console.log("|---|---|---|---|---|")
    for (const [name, one] of [
      ["now", own],
      ["before", other]
    ] as const) {
      if (one === undefined) continue
      const { aloneMs, besidePausedMs, besideStreamsMs, pauseMs } = await one.besideStreams()
      console.log(
        `| ${[name, ...[aloneMs, besideStreamsMs, besidePausedMs, pauseMs].map((value) => value.toFixed(1))].join(" | ")} |`
      )
    }
  }
} finally {
  await own.dispose()
  await other?.dispose()
  await upstream.stop(true)
}
console.log(`${chosen.length} bodies, ${broken} of them over what they may`)
process.exit(broken === 0 ? 0 : 1)
