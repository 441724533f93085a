/**
 * The load, in a process of its own: `load.ts '<options>'` measures how much of the mix the gateway takes, then sends half
 * of it for so long, with moments of quiet in which its resident memory is read. Prints how far it is on standard error,
 * and what it saw as one line of JSON.
 */
import { anonymousBytes, cpuMicros, residentBytes } from "../bench/processes.ts"
import { direct, kinds } from "./kinds.ts"
import type { Kind } from "./kinds.ts"
import { Latencies, verdict } from "./verdict.ts"
import type { Quiet, Slice } from "./verdict.ts"

export interface SoakOptions {
  readonly gateway: string
  readonly pid: number
  /** Of the upstream's process, whose work for a request is always the same. */
  readonly textsPid: number
  readonly key: string
  readonly texts: string
  readonly outside: string
  readonly minutes: number
  /** Requests a second; undefined for half of what is measured. */
  readonly rate: number | undefined
}

export interface SoakSeen {
  readonly lines: ReadonlyArray<string>
  readonly failures: ReadonlyArray<string>
}

const options = JSON.parse(process.argv[2] ?? "{}") as SoakOptions
const mix = kinds(`${options.outside}/hook`)
/** A hundred places, each kind as often as it is to come. */
const hundred = mix.flatMap((kind) => Array.from({ length: kind.weight }, () => kind))
if (hundred.length !== 100) throw new Error(`the weights are ${hundred.length} in a hundred`)
const inHour = 3_600_000
const slicesOfRun = 60

const headers = { authorization: `Bearer ${options.key}`, "content-type": "application/json" }
let errors = 0
let tasks = 0
let inFlight = 0
let worst: string | undefined

/** Asks once; answers how long it took to the answer's end, or to a stream's first byte. Undefined if it went wrong. */
const ask = async (origin: string, { body, isRight, name, path }: Kind): Promise<number | undefined> => {
  const begun = performance.now()
  inFlight++
  try {
    const response = await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) })
    const isStream = "stream" in body
    let took = 0
    let text = ""
    if (isStream && response.body !== null) {
      const decoder = new TextDecoder()
      for await (const chunk of response.body) {
        if (took === 0) took = performance.now() - begun
        text += decoder.decode(chunk, { stream: true })
      }
    } else {
      text = await response.text()
      took = performance.now() - begun
    }
    if (response.status !== 200 || !isRight(text)) throw new Error(`${response.status} ${text.slice(0, 300)}`)
    if (name === "video tasks with callbacks") tasks++
    return took
  } catch (error) {
    errors++
    worst ??= `${name}: ${String(error)}`
    return undefined
  } finally {
    inFlight--
  }
}

let turn = 0
/** The kinds in an order in which each comes evenly: 37 has no factor in common with a hundred. */
const next = (): Kind => hundred[(turn++ * 37) % 100]!

/** How many of the mix are answered in a second where as many as this wait at once. */
const capacity = async (connections: number, seconds: number): Promise<number> => {
  const until = performance.now() + seconds * 1_000
  let answered = 0
  const client = async () => {
    while (performance.now() < until) if ((await ask(options.gateway, next())) !== undefined) answered++
  }
  await Promise.all(Array.from({ length: connections }, client))
  return answered / seconds
}

const idle = async () => {
  while (inFlight > 0) await Bun.sleep(10)
}

/** How long nothing is asked: twelve seconds after its last work the engine collects all that is garbage, and gives it back. */
const quietMs = 16_000
/** From one moment of quiet to the next: thirty in a run, or fewer in one of less than a quarter of an hour. */
const everyMs = (totalMs: number) => Math.max(30_000, totalMs / 30)

/** The least that is resident while nothing is asked, and how much of it is no file's. */
const quietMegabytes = async () => {
  await idle()
  const until = performance.now() + quietMs
  let [resident, anonymous] = [Infinity, Infinity]
  while (performance.now() < until) {
    resident = Math.min(resident, residentBytes(options.pid))
    anonymous = Math.min(anonymous, anonymousBytes(options.pid))
    await Bun.sleep(50)
  }
  return { megabytes: resident / 2 ** 20, anonymous: anonymous / 2 ** 20 }
}

const soak = async (rate: number, totalMs: number) => {
  const slices: ReadonlyArray<Slice> = Array.from({ length: slicesOfRun }, () => ({
    gateway: new Latencies(),
    direct: new Latencies()
  }))
  const quiets: Array<Quiet & { readonly anonymous: number }> = []
  const byKind = new Map(mix.map((kind) => [kind, new Latencies()]))
  const loadMs = everyMs(totalMs) - quietMs
  const busyMs = (totalMs / everyMs(totalMs)) * loadMs
  const began = performance.now()
  /** Of each stretch of load, in microseconds of CPU for a request that was sent: where both rise, the machine is slower. */
  const costs: Array<{ readonly gateway: number; readonly upstream: number }> = []
  const cpu = () => ({ gateway: cpuMicros(options.pid), upstream: cpuMicros(options.textsPid) })
  let [sent, intended] = [0, 0]
  let said = 0
  let [recent, recentDirect] = [new Latencies(), new Latencies()]
  for (let busy = 0; busy < busyMs; busy += loadMs) {
    const stretch = performance.now()
    const [begun, sentSoFar] = [cpu(), sent]
    let due = 0
    while (performance.now() - stretch < loadMs) {
      const now = performance.now()
      const at = Math.floor(((busy + now - stretch) / busyMs) * slicesOfRun)
      const slice = slices[Math.min(slicesOfRun - 1, at)]!
      const until = Math.floor(((now - stretch) / 1_000) * rate)
      for (; due < until; due++) {
        intended++
        // More than this waits only where the gateway no longer keeps up.
        if (inFlight > 2_000) continue
        sent++
        // One in twenty goes by the gateway.
        if (sent % 20 === 0) {
          void ask(options.texts, direct).then((ms) => {
            if (ms === undefined) return
            slice.direct.add(ms)
            recentDirect.add(ms)
          })
          continue
        }
        const kind = next()
        void ask(options.gateway, kind).then((ms) => {
          if (ms === undefined) return
          slice.gateway.add(ms)
          recent.add(ms)
          byKind.get(kind)?.add(ms)
        })
      }
      if (now - said > 5_000) {
        said = now
        const seconds = Math.round((now - began) / 1_000)
        console.error(
          ` … ${seconds} of ${Math.round(totalMs / 1_000)} s: ${sent} sent, p99 ${recent.quantile(0.99).toFixed(1)} ms (the upstream alone ${recentDirect.quantile(0.99).toFixed(1)}), ${errors} errors, ${(quiets.at(-1)?.megabytes ?? NaN).toFixed(1)} MB when quiet`
        )
        ;[recent, recentDirect] = [new Latencies(), new Latencies()]
      }
      await Bun.sleep(1)
    }
    const [ended, requests] = [cpu(), sent - sentSoFar]
    costs.push({
      gateway: (ended.gateway - begun.gateway) / requests,
      upstream: (ended.upstream - begun.upstream) / requests
    })
    quiets.push({ ...(await quietMegabytes()), hours: (performance.now() - began) / inHour })
  }
  return { slices, quiets, byKind, costs, sentShare: sent / intended }
}

/** Waits until all ends were told; answers how many were not within half a minute. */
const uncalled = async (): Promise<number> => {
  const until = performance.now() + 30_000
  for (;;) {
    const told = (await (await fetch(`${options.outside}/told`)).json()) as number
    if (told >= tasks || performance.now() > until) return tasks - told
    await Bun.sleep(200)
  }
}

const totalMs = options.minutes * 60_000
// Until the compiler has seen it all.
await capacity(32, Math.min(20, Math.max(5, totalMs / 1_000 / 20)))
const most = options.rate === undefined ? await capacity(64, Math.min(20, Math.max(5, totalMs / 1_000 / 20))) : NaN
const rate = options.rate ?? most / 2
console.error(
  options.rate === undefined
    ? `The mix is answered ${Math.round(most)} times a second at most; half of that for ${options.minutes} minutes.`
    : `${rate} requests a second for ${options.minutes} minutes.`
)
const before = errors
const { byKind, costs, quiets, sentShare, slices } = await soak(rate, totalMs)
await idle()
const { failures, lines } = verdict({
  minutes: options.minutes,
  slices,
  quiets,
  errors,
  uncalled: await uncalled(),
  sentShare
})
if (before > 0) console.error(`${before} of the errors came before the load was the one to judge.`)
if (worst !== undefined) console.error(`The first error: ${worst}`)
const seen: SoakSeen = {
  lines: [
    ...[...byKind].map(
      ([{ name }, all]) =>
        `${name}: ${all.count}, p50 ${all.quantile(0.5).toFixed(2)} ms, p99 ${all.quantile(0.99).toFixed(2)} ms`
    ),
    `megabytes when quiet: ${quiets.map(({ megabytes }) => megabytes.toFixed(1)).join(" ")}`,
    `of these no file's: ${quiets.map(({ anonymous }) => anonymous.toFixed(1)).join(" ")}`,
    `microseconds of CPU a request, each stretch: ${costs.map(({ gateway }) => gateway.toFixed(0)).join(" ")}; of the upstream's process: ${costs.map(({ upstream }) => upstream.toFixed(1)).join(" ")}`,
    ...lines
  ],
  failures
}
console.log(JSON.stringify(seen))
process.exit(0)
