import { resolve } from "node:path"
import { median } from "../load.ts"
import { cpuMicros, residentBytes } from "../processes.ts"
import { byTurns } from "../rounds.ts"
import type { Row } from "../Row.ts"
import { pace } from "../setting.ts"
import type { Setting } from "../setting.ts"
import type { StreamLoad, StreamMeasured } from "../streams.ts"

const script = resolve(import.meta.dirname, "../streams.ts")

const read = async (options: StreamLoad): Promise<StreamMeasured> => {
  const child = Bun.spawn([process.execPath, script, JSON.stringify(options)], {
    stdout: "pipe",
    stderr: "inherit",
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" }
  })
  return JSON.parse(await new Response(child.stdout).text()) as StreamMeasured
}

const body = (model: string) =>
  JSON.stringify({ model, max_tokens: 1000, stream: true, messages: [{ role: "user", content: "Count." }] })

/** P3: events per second and the delay of each, translated and passed through, against bare proxies. */
export const streamRows = async (setting: Setting): Promise<ReadonlyArray<Row>> => {
  const { gateway, headers, proxy, upstream } = setting
  const messages = `${gateway.url}/v1/messages`
  const measure = (url: string, model: string, connections: number, seconds = pace.seconds) =>
    read({ url, body: body(model), headers, connections, seconds })
  const rows: Array<Row> = []

  interface Compared {
    readonly what: string
    readonly ours: string
    readonly url?: string
    readonly bare: string
    readonly floor: number
    readonly reached?: number
  }
  const compare = async ({ bare, floor, ours, reached = floor, url = messages, what }: Compared) => {
    await measure(url, ours, 16, pace.warm)
    const { compared, of } = await byTurns({
      gateway: () => measure(url, ours, 16),
      proxy: () => measure(`${proxy.url}${bare}`, "fast", 16)
    })
    rows.push({
      promise: "P3",
      what,
      gateway: of.gateway.eventsPerSecond,
      ceiling: of.proxy.eventsPerSecond,
      unit: "events/s",
      ...compared("gateway", "proxy", "eventsPerSecond"),
      floor,
      reached,
      errors: of.gateway.errors + of.proxy.errors
    })
  }
  await compare({
    what: "streams translated from chat completions",
    ours: "fast-chat",
    bare: "/events",
    floor: 0.6
  })
  await compare({
    what: "streams passed through",
    ours: "fast",
    bare: "/pipe",
    floor: 0.7,
    reached: setting.reached({ usual: 0.5, quickKernel: 0.45 })
  })
  await compare({
    what: "streams of chat completions passed through",
    ours: "fast-chat",
    url: `${gateway.url}/v1/chat/completions`,
    bare: "/pipe/chat",
    floor: 0.7,
    reached: setting.reached({ usual: 0.45, quickKernel: 0.4 })
  })
  // A chunk of a completion is half as long again as a frame of a message, and what passes through costs by its bytes.
  const passed = await byTurns({
    messages: () => measure(messages, "fast", 16),
    chat: () => measure(`${gateway.url}/v1/chat/completions`, "fast-chat", 16)
  })
  rows.push({
    promise: "P3",
    what: "bytes of chat completions passed through, against those of messages",
    gateway: passed.of.chat.bytesPerSecond / 1e6,
    ceiling: passed.of.messages.bytesPerSecond / 1e6,
    unit: "MB/s",
    ...passed.compared("chat", "messages", "bytesPerSecond"),
    floor: 1,
    reached: 0.95,
    errors: passed.of.chat.errors + passed.of.messages.errors
  })

  for (const [what, model, path] of [
    ["translated", "paced-chat", "/v1/chat/completions"],
    ["passed through", "paced", "/v1/messages"]
  ] as const) {
    await measure(messages, model, 16)
    const [own, direct] = [
      await measure(messages, model, 16, pace.paced),
      await measure(`${upstream.url}${path}`, "paced", 16, pace.paced)
    ]
    const shared = { promise: "P3", unit: "ms", errors: own.errors + direct.errors }
    rows.push(
      {
        ...shared,
        what: `delay added to an event every 20 ms, ${what}, p50`,
        gateway: own.delayP50,
        ceiling: direct.delayP50,
        compared: own.delayP50 - direct.delayP50,
        most: 1
      },
      {
        ...shared,
        what: `delay added to an event every 20 ms, ${what}, p99`,
        gateway: own.delayP99,
        ceiling: direct.delayP99,
        compared: own.delayP99 - direct.delayP99,
        most: 5
      },
      {
        ...shared,
        what: `the first event, ${what}, before the second is sent (20 ms)`,
        gateway: own.firstP99,
        ceiling: direct.firstP99,
        compared: own.firstP99 - direct.firstP99,
        most: 20
      }
    )
  }
  return rows
}

/**
 * P4: many streams at once. Answers the rows and the curve of resident memory.
 *
 * @param isWhole whether the curve is wanted too, from few streams on
 */
export const manyStreams = async (
  setting: Setting,
  isWhole: boolean
): Promise<{ readonly rows: ReadonlyArray<Row>; readonly curve: ReadonlyArray<readonly [number, number]> }> => {
  const { gateway } = setting
  // Until the compiler has seen it all, whose memory is not the streams'.
  await streamsOf(setting, "slow-chat", 100)
  const idle = residentBytes(gateway.pid)
  const curve: Array<readonly [number, number]> = [[0, idle]]
  const counts = process.env["BENCH_QUICK"] !== undefined ? [500] : isWhole ? [250, 500, 1000, 2000] : [2000]
  const most = counts.at(-1) ?? 0
  const rowsOf = (
    what: string,
    { errors, firstP99, peak }: Peak,
    { reached, wanted }: { readonly wanted: number; readonly reached: number }
  ): ReadonlyArray<Row> => {
    const each = (peak - idle) / most / 1024
    const shared = { promise: "P4", ceiling: undefined }
    return [
      {
        ...shared,
        what: `${most} streams at once, ${what}: first byte, p99`,
        gateway: firstP99,
        unit: "ms",
        compared: firstP99,
        most: 2_000,
        errors
      },
      {
        ...shared,
        what: `${most} streams at once, ${what}: memory of each over the idle process`,
        gateway: each,
        unit: "KB",
        compared: each,
        most: wanted,
        reached,
        errors: 0
      }
    ]
  }
  let last: Peak | undefined
  for (const count of counts) {
    const runs: Array<Peak> = []
    // What garbage there is at the highest moment is chance: of three the one in the middle.
    for (let run = 0; run < (count === most ? 3 : 1); run++)
      runs.push(await streamsOf(setting, "slow-chat", count, idle))
    const peak = median(runs.map((run) => run.peak))
    const errors = runs.reduce((sum, run) => sum + run.errors, 0)
    const firstP99 = Math.max(...runs.map((run) => run.firstP99))
    last = { peak, errors, firstP99 }
    curve.push([count, peak])
  }
  const pressed = await streamsOf(setting, "paced-chat", most, idle)
  return {
    curve,
    rows: [
      ...(last === undefined ? [] : rowsOf("an event each 200 ms", last, { wanted: 55, reached: 75 })),
      // More than two cores carry, half of which go to the upstream and the reader: what waits is memory too.
      ...rowsOf("an event each 20 ms", pressed, { wanted: 100, reached: 230 })
    ]
  }
}

interface Peak extends Pick<StreamMeasured, "errors" | "firstP99"> {
  readonly peak: number
}

/**
 * Waits until the gateway has nothing to do and holds no more than it does at rest: streams that were cut short before
 * are work for a second or two, and what they leave is collected some ten seconds later.
 */
const atRest = async (pid: number, idle: number) => {
  for (let tries = 0; tries < 150; tries++) {
    const before = cpuMicros(pid)
    await Bun.sleep(200)
    if (cpuMicros(pid) - before <= 20_000 && residentBytes(pid) <= idle * 1.1) return
  }
  throw new Error("the gateway does not come to rest")
}

/** Lets so many streams run for some seconds; answers the most memory the gateway had meanwhile. */
const streamsOf = async (
  { gateway, headers }: Setting,
  model: string,
  connections: number,
  idle = Infinity
): Promise<Peak> => {
  await atRest(gateway.pid, idle)
  const reading = read({ url: `${gateway.url}/v1/messages`, body: body(model), headers, connections, seconds: 6 })
  let peak = 0
  let done = false
  void reading.then(() => (done = true))
  while (!done) {
    peak = Math.max(peak, residentBytes(gateway.pid))
    await Bun.sleep(100)
  }
  const { errors, firstP99 } = await reading
  return { peak, errors, firstP99 }
}
