import { resolve } from "node:path"
import { load, median } from "../load.ts"
import type { Measured } from "../load.ts"
import type { Read, Reading } from "./reader.ts"
import { cores, on } from "./running.ts"
import type { Running } from "./running.ts"
import { longStream, shortStream } from "./System.ts"
import type { Ask } from "./System.ts"
import { cpuSeconds, residentMegabytes } from "./tree.ts"

/** What is sent, and the text that each answer has to have in it. */
interface Target {
  readonly running: Pick<Running, "url">
  readonly ask: Ask
  readonly text: string
}

export interface WholeFigures {
  readonly perSecond: number
  /** Against the bare Bun proxy's, each round beside its own. */
  readonly timesBare: number
  /** CPU seconds of the process tree for 1,000 requests. */
  readonly cpu: number
  /** By how much the rounds' CPU differs from their median at most, as a share. */
  readonly spread: number
  readonly addedP50: number
  readonly addedP99: number
  /** The most that was resident, in MB. */
  readonly underLoad: number
  readonly wrong: number
}

/** How long is measured: seconds of a round, how many rounds, and at most how many seconds of warm-up. */
export interface Pace {
  readonly seconds: number
  readonly rounds: number
  readonly warm: number
}

const send = (target: Target, connections: number, seconds: number, core: string | undefined): Promise<Measured> =>
  load({
    url: target.running.url + target.ask.path,
    headers: target.ask.headers,
    body: JSON.stringify(target.ask.body),
    connections,
    seconds,
    text: target.text,
    core
  })

/** Until three windows in a row cost the same CPU within a twentieth: then a second run does not differ from the first. */
const warmUp = async (target: Target, pid: number, most: number, core: string | undefined): Promise<number> => {
  const costs: Array<number> = []
  let seconds = 0
  for (; seconds < most; seconds += 2) {
    const before = cpuSeconds(pid)
    const { perSecond } = await send(target, 32, 2, core)
    costs.push((cpuSeconds(pid) - before) / perSecond)
    const last = costs.slice(-3)
    if (last.length === 3 && Math.max(...last) / Math.min(...last) < 1.05) break
  }
  return seconds
}

/** Watches the most that is resident while something is done. */
const watching = async <A>(pid: number, done: Promise<A>): Promise<{ readonly answer: A; readonly peak: number }> => {
  let peak = residentMegabytes(pid)
  const timer = setInterval(() => (peak = Math.max(peak, residentMegabytes(pid))), 50)
  try {
    return { answer: await done, peak }
  } finally {
    clearInterval(timer)
  }
}

/** Whole answers: at 32 connections, in turn with the bare proxy, and at one, in turn with the upstream itself. */
export const whole = async (
  target: Target & { readonly running: Running },
  beside: { readonly bare: Target; readonly upstream: Target },
  pace: Pace
): Promise<WholeFigures> => {
  const { pid } = target.running
  await warmUp(target, pid, pace.warm, cores.rest)
  const rounds: Array<{ rate: number; timesBare: number; cpu: number; peak: number; errors: number }> = []
  for (let round = 0; round < pace.rounds; round++) {
    const bare = await send(beside.bare, 32, pace.seconds, cores.rest)
    const before = cpuSeconds(pid)
    const { answer, peak } = await watching(pid, send(target, 32, pace.seconds, cores.rest))
    rounds.push({
      rate: answer.perSecond,
      timesBare: answer.perSecond / bare.perSecond,
      cpu: ((cpuSeconds(pid) - before) / (answer.perSecond * pace.seconds)) * 1_000,
      peak,
      errors: answer.errors
    })
  }
  const one: Array<readonly [Measured, Measured]> = []
  await send(target, 1, 1, cores.rest)
  for (let round = 0; round < pace.rounds; round++) {
    one.push([
      await send(target, 1, pace.seconds, cores.rest),
      await send(beside.upstream, 1, pace.seconds, cores.rest)
    ])
  }
  const cpu = median(rounds.map((round) => round.cpu))
  return {
    perSecond: median(rounds.map(({ rate }) => rate)),
    timesBare: median(rounds.map(({ timesBare }) => timesBare)),
    cpu,
    spread: Math.max(...rounds.map((round) => Math.abs(round.cpu / cpu - 1))),
    addedP50: median(one.map(([own, direct]) => own.p50 - direct.p50)),
    addedP99: median(one.map(([own, direct]) => own.p99 - direct.p99)),
    underLoad: Math.max(...rounds.map(({ peak }) => peak)),
    wrong: rounds.reduce((sum, { errors }) => sum + errors, 0) + one.reduce((sum, [own]) => sum + own.errors, 0)
  }
}

/** The same at 32 connections, with all cores to itself, the load and the upstream. */
export const free = async (target: Target, pid: number, pace: Pace): Promise<number> => {
  await warmUp(target, pid, pace.warm / 2, undefined)
  const rates: Array<number> = []
  for (let round = 0; round < pace.rounds; round++) {
    rates.push((await send(target, 32, pace.seconds, undefined)).perSecond)
  }
  return median(rates)
}

export interface Firsts {
  readonly p50: number
  readonly p99: number
}

export interface StreamFigures {
  /** Of 64 at once, the first that this process ever saw. */
  readonly cold: Firsts
  /** Of 64 at once, when as many have run some times. */
  readonly warm: Firsts
  /** Of 1,000 at once. */
  readonly many: Firsts
  /** From an event's sending to its arrival, of those 1,000 streams. */
  readonly delayP99: number
  /** CPU seconds of the process tree for 1,000 events of those. */
  readonly cpu: number
  /** What is resident more at their height than before, for each, in KB. */
  readonly kilobytes: number
  /** How many of those ended as they should. */
  readonly clean: number
  /** Of the others, which are told apart: they should all be clean. */
  readonly wrong: string | undefined
}

const reader = resolve(import.meta.dirname, "reader.ts")

const read = async (url: string, ask: Ask, streams: number, events: number): Promise<Read> => {
  const reading: Reading = { url, ...ask, streams, events, withinMs: 60_000 }
  const child = Bun.spawn(on(cores.rest, [process.execPath, reader, JSON.stringify(reading)]), {
    stdout: "pipe",
    stderr: "inherit"
  })
  return JSON.parse(await new Response(child.stdout).text()) as Read
}

const shortEvents = Number(shortStream.split("-")[1])

/** Streams through a process that was just started, or of the upstream itself where there is none to measure. */
export const streams = async (
  { pid, url }: { readonly url: string; readonly pid: number },
  ask: (model: string) => Ask,
  many: number,
  rounds: number
): Promise<StreamFigures> => {
  const some = () => read(url, ask(shortStream), 64, shortEvents)
  const cold = await some()
  for (let round = 0; round < 8; round++) await some()
  const warm: Array<Read> = []
  for (let round = 0; round < rounds; round++) warm.push(await some())
  const [before, cpu] = [residentMegabytes(pid), cpuSeconds(pid)]
  const { answer, peak } = await watching(pid, read(url, ask(longStream.model), many, longStream.events))
  return {
    cold: cold.first,
    warm: {
      p50: median(warm.map(({ first }) => first.p50)),
      p99: median(warm.map(({ first }) => first.p99))
    },
    many: answer.first,
    delayP99: answer.delay.p99,
    cpu: ((cpuSeconds(pid) - cpu) / answer.events) * 1_000,
    kilobytes: ((peak - before) * 1_024) / many,
    clean: answer.clean / many,
    wrong: [cold, ...warm, answer].find(({ wrong }) => wrong !== undefined)?.wrong
  }
}
