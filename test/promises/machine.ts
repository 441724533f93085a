/*
 * How much slower this machine is at the moment than the one that the bounds were given for, quiet: a fixed loop's time
 * tells what the processor has left for us, a timer's lateness how long we wait for our turn.
 */

/** What the fixed loop takes there, in ms. */
const quietLoopMs = 20
/** How late a timer may be there, nine times out of ten, in ms: another process's turn. */
const quietLatenessMs = 4

/** A few million steps that no compiler leaves out: the result is returned. */
const fixedLoop = (): number => {
  let state = 0x9e_37_79_b9
  for (let step = 0; step < 10_000_000; step++) state = (state ^ (state << 13) ^ (state >>> 17)) | 0
  return state
}

/**
 * What making objects and texts takes there, in ms of the processor. It is counted back from promises of one build on two
 * machines (the longest turn of a page, 44 ms there and 61-71 here; loops are faster here), so it is right to a fifth or so.
 */
const quietObjectsMs = 4.5

const tools = JSON.stringify(
  Array.from({ length: 4_000 }, (_, n) => ({
    name: `tool_${n}`,
    description: "x".repeat(40),
    parameters: { type: "object", properties: { a: { type: "string" }, b: { type: "number" } } }
  }))
)

const objectsMs = (): number => {
  const used = process.cpuUsage()
  const made: ReadonlyArray<{ readonly name: string }> = JSON.parse(tools)
  JSON.stringify(made.map((tool) => ({ ...tool, name: `${tool.name}_` })))
  const { system, user } = process.cpuUsage(used)
  return (system + user) / 1_000
}

// Compiled before it is measured, as in what it stands for.
for (let round = 0; round < 20; round++) objectsMs()

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

/** What bounds are of: time by the clock; of the processor, in which others have no share; of it for very many objects. */
export type Measure = "clock" | "processor" | "objects"

const rounds = 7

/** What a bound is multiplied by here and now: 1 where this machine is as fast and as quiet as that one, or better. */
export const slowness = async (by: Measure): Promise<number> => {
  const loops: Array<ReturnType<typeof timedLoop>> = []
  const lateness: Array<number> = []
  const objects: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    loops.push(timedLoop())
    if (by === "objects") objects.push(objectsMs())
    if (by === "clock") for (let timer = 0; timer < 4; timer++) lateness.push(await latenessMs())
  }
  const median = (times: ReadonlyArray<number>) => percentile(0.5, times) / quietLoopMs
  if (by === "clock") {
    return Math.max(1, median(loops.map(({ clockMs }) => clockMs)), percentile(0.9, lateness) / quietLatenessMs)
  }
  const processor = Math.max(1, median(loops.map(({ processorMs }) => processorMs)))
  return by === "processor" ? processor : Math.max(processor, percentile(0.5, objects) / quietObjectsMs)
}
