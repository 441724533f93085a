/*
 * How much slower this machine is at the moment than the one that the bounds were given for, quiet: a fixed loop's time
 * tells what the processor has left for us, a timer's lateness how long we wait for our turn.
 */

/** What the fixed loop takes there, in ms. */
const quietLoopMs = 20
/** How late a timer may be there, nine times out of ten, in ms: a turn of somebody else's. */
const quietLatenessMs = 4

/** A few million steps that no compiler leaves out: the result is returned. */
const fixedLoop = (): number => {
  let state = 0x9e_37_79_b9
  for (let step = 0; step < 10_000_000; step++) state = (state ^ (state << 13) ^ (state >>> 17)) | 0
  return state
}

/** The loop's time by the clock, and of the processor, in ms. */
const timedLoop = (): { readonly clockMs: number; readonly processorMs: number } => {
  const began = performance.now()
  const used = process.cpuUsage()
  fixedLoop()
  const { system, user } = process.cpuUsage(used)
  return { clockMs: performance.now() - began, processorMs: (system + user) / 1_000 }
}

const latenessMs = async (): Promise<number> => {
  const due = performance.now() + 5
  await new Promise((resolve) => setTimeout(resolve, 5))
  return performance.now() - due
}

export const percentile = (part: number, values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0

/** What a bound is multiplied by here and now: 1 where this machine is as fast and as quiet as that one, or better. */
export interface Slowness {
  /** For what is measured by the clock. */
  readonly clock: number
  /** For time of the processor, in which others have no share. */
  readonly processor: number
}

export const slowness = async (): Promise<Slowness> => {
  const loops: Array<ReturnType<typeof timedLoop>> = []
  const lateness: Array<number> = []
  for (let round = 0; round < 7; round++) {
    loops.push(timedLoop())
    for (let timer = 0; timer < 4; timer++) lateness.push(await latenessMs())
  }
  const median = (times: ReadonlyArray<number>) => percentile(0.5, times) / quietLoopMs
  return {
    clock: Math.max(1, median(loops.map(({ clockMs }) => clockMs)), percentile(0.9, lateness) / quietLatenessMs),
    processor: Math.max(1, median(loops.map(({ processorMs }) => processorMs)))
  }
}
