/**
 * Reads event streams, in a process of its own: `streams.ts '<options>'` prints one line of JSON. Events are counted by
 * their `data:` lines; where an event's text carries the time it was sent (`@<ms>`), its delay is measured.
 */
export interface StreamLoad {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
}

export interface StreamMeasured {
  readonly eventsPerSecond: number
  readonly bytesPerSecond: number
  /** From an event's sending to its arrival, in ms; 0 where events carry no time. */
  readonly delayP50: number
  readonly delayP99: number
  /** From the request to the first event, in ms. */
  readonly firstP99: number
  readonly errors: number
}

const options = JSON.parse(process.argv[2] ?? "{}") as StreamLoad
const delays: Array<number> = []
const firsts: Array<number> = []
let events = 0
let bytes = 0
let errors = 0
const begun = performance.now()
const until = begun + options.seconds * 1000
const data = new TextEncoder().encode("data:")

const count = (chunk: Uint8Array) => {
  const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  let found = 0
  for (let at = buffer.indexOf(data); at !== -1; at = buffer.indexOf(data, at + 5)) found++
  return found
}

const readOne = async () => {
  const asked = performance.now()
  const response = await fetch(options.url, { method: "POST", headers: options.headers, body: options.body })
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`)
  let first = true
  for await (const chunk of response.body) {
    if (first) firsts.push(performance.now() - asked)
    first = false
    events += count(chunk)
    bytes += chunk.length
    const now = performance.timeOrigin + performance.now()
    for (const [, sent] of Buffer.from(chunk)
      .toString("latin1")
      .matchAll(/@(\d+\.\d+)/g)) {
      delays.push(now - Number(sent))
    }
    if (performance.now() > until) return
  }
}

const connection = async () => {
  while (performance.now() < until) {
    try {
      await readOne()
    } catch {
      errors++
    }
  }
}

await Promise.all(Array.from({ length: options.connections }, connection))
const at = (times: Array<number>, share: number) => times.sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0
const measured: StreamMeasured = {
  eventsPerSecond: events / ((performance.now() - begun) / 1000),
  bytesPerSecond: bytes / ((performance.now() - begun) / 1000),
  delayP50: at(delays, 0.5),
  delayP99: at(delays, 0.99),
  firstP99: at(firsts, 0.99),
  errors
}
console.log(JSON.stringify(measured))
process.exit(0)
