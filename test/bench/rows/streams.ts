import { resolve } from "node:path"
import { median } from "../load.ts"
import { residentBytes } from "../processes.ts"
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

  const compare = async (what: string, ours: string, bare: string, model: string, floor: number) => {
    await measure(messages, ours, 16, pace.warm)
    const results: Array<readonly [StreamMeasured, StreamMeasured]> = []
    for (let round = 0; round < pace.rounds; round++) {
      results.push([await measure(messages, ours, 16), await measure(`${proxy.url}${bare}`, model, 16)])
    }
    const [own, ceiling] = ([0, 1] as const).map((side) => median(results.map((pair) => pair[side].eventsPerSecond)))
    rows.push({
      promise: "P3",
      what,
      gateway: own!,
      ceiling: ceiling!,
      unit: "events/s",
      compared: own! / ceiling!,
      floor,
      errors: results.reduce((sum, [one, other]) => sum + one.errors + other.errors, 0)
    })
  }
  await compare("streams translated from chat completions", "fast-chat", "/events", "fast", 0.35)
  await compare("streams passed through", "fast", "/pipe", "fast", 0.6)

  for (const [what, model, path] of [
    ["translated", "paced-chat", "/v1/chat/completions"],
    ["passed through", "paced", "/v1/messages"]
  ] as const) {
    const [own, direct] = [
      await measure(messages, model, 16, pace.seconds * 2),
      await measure(`${upstream.url}${path}`, "paced", 16, pace.seconds * 2)
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

/** P4: many streams at once. Answers the rows and the curve of resident memory. */
export const manyStreams = async (
  setting: Setting
): Promise<{ readonly rows: ReadonlyArray<Row>; readonly curve: ReadonlyArray<readonly [number, number]> }> => {
  const { gateway, headers } = setting
  const curve: Array<readonly [number, number]> = []
  const counts = process.env["BENCH_QUICK"] === undefined ? [0, 250, 500, 1000, 2000] : [0, 500]
  let last: StreamMeasured | undefined
  let idle = 0
  for (const connections of counts) {
    if (connections === 0) {
      idle = residentBytes(gateway.pid)
      curve.push([0, idle])
      continue
    }
    const reading = read({
      url: `${gateway.url}/v1/messages`,
      body: body("paced-chat"),
      headers,
      connections,
      seconds: 6
    })
    let peak = 0
    let done = false
    void reading.then(() => (done = true))
    while (!done) {
      peak = Math.max(peak, residentBytes(gateway.pid))
      await Bun.sleep(100)
    }
    last = await reading
    curve.push([connections, peak])
  }
  const [most = 0, peak = 0] = curve.at(-1) ?? []
  return {
    curve,
    rows: [
      {
        promise: "P4",
        what: `${most} streams at once: first byte, p99`,
        gateway: last?.firstP99 ?? NaN,
        ceiling: undefined,
        unit: "ms",
        compared: last?.firstP99 ?? NaN,
        most: 2_000,
        errors: last?.errors ?? 1
      },
      {
        promise: "P4",
        what: `${most} streams at once: memory of each over the idle process`,
        gateway: (peak - idle) / most / 1024,
        ceiling: undefined,
        unit: "KB",
        compared: (peak - idle) / most / 1024,
        most: 60,
        errors: 0
      }
    ]
  }
}
