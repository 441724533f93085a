import { loadavg } from "node:os"
import { join, resolve } from "node:path"
import { besideStreams } from "./bodies/streams.ts"
import type { Waits } from "./bodies/streams.ts"
import { startProbed } from "./bodies/server.ts"

/**
 * `bun test/guard/streams.ts [--rounds 5] [--before <folder>]`: how long others wait beside ten readers of streams of
 * 100,000 tokens, and beside twenty that have stopped to read theirs. Each round measures both against what is waited
 * alone in it, and the sources of another folder beside these; the medians count. Fails where others wait twice as long.
 */
const mostTimes = 2

const args = process.argv.slice(2)
const valueOf = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined)
const rounds = Number(valueOf("--rounds") ?? 5)
const before = valueOf("--before")

const nowhere = "http://127.0.0.1:9"
const start = async (name: string, folder: string) => {
  const probed = await startProbed(join(folder, "src/main.ts"), nowhere)
  await besideStreams(probed.gateway)
  await probed.seen()
  return { name, probed, waits: new Array<Waits>() }
}
const measured = [await start("now", resolve(import.meta.dirname, "../.."))]
if (before !== undefined) measured.push(await start("before", resolve(before)))

const load = () => loadavg()[0]?.toFixed(1)
for (let round = 1; round <= rounds; round++) {
  for (const { name, probed, waits } of measured) {
    const waited = await besideStreams(probed.gateway)
    waits.push(waited)
    const told = [waited.aloneMs, waited.besideStreamsMs, waited.besidePausedMs].map((ms) => ms.toFixed(1)).join(", ")
    console.log(`round ${round}, ${name}: ${told} ms alone, beside streams, beside paused ones (load ${load()})`)
  }
}

const median = (values: ReadonlyArray<number>) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const column = (values: ReadonlyArray<number>) => median(values).toFixed(1)

console.log(
  "\n| | alone, ms | beside ten streams, ms | times | beside twenty paused readers, ms | times | longest pause, ms |"
)
console.log("|---|---|---|---|---|---|---|")
let missed = 0
for (const { name, probed, waits } of measured) {
  const streams = waits.map((one) => one.besideStreamsMs / one.aloneMs)
  const paused = waits.map((one) => one.besidePausedMs / one.aloneMs)
  if (name === "now" && !(median(streams) < mostTimes && median(paused) < mostTimes)) missed++
  const longest = [
    column(waits.map((one) => one.aloneMs)),
    column(waits.map((one) => one.besideStreamsMs)),
    column(streams),
    column(waits.map((one) => one.besidePausedMs)),
    column(paused),
    (await probed.seen()).pauseMs.toFixed(0)
  ]
  const middle = [
    column(waits.map((one) => one.medianAloneMs)),
    column(waits.map((one) => one.medianBesideStreamsMs)),
    column(waits.map((one) => one.medianBesideStreamsMs / one.medianAloneMs)),
    column(waits.map((one) => one.medianBesidePausedMs)),
    column(waits.map((one) => one.medianBesidePausedMs / one.medianAloneMs)),
    ""
  ]
  console.log(`| ${[`${name}, one in a hundred`, ...longest].join(" | ")} |`)
  console.log(`| ${[`${name}, median`, ...middle].join(" | ")} |`)
  await probed.dispose()
}
console.log(missed === 0 ? `others wait less than ${mostTimes} times as long` : "others wait too long")
process.exit(missed)
