import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Load {
  readonly url: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
}

/** One measured round. Times in milliseconds; errors are socket errors and answers other than 2xx. */
export interface Measured {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly errors: number
}

const folder = mkdtempSync(join(tmpdir(), "gateway-bench-"))
let scripts = 0

/** What makes the load; Bun takes so much more of the shared cores that shares and rates are others. */
export const loadedBy = Bun.which("wrk") === null ? "Bun" : "wrk"

/** Loads an address with `wrk` (Debian's package of that name) from one thread. */
export const load = async (options: Load): Promise<Measured> => {
  if (loadedBy === "Bun") return loadWithBun(options)
  const script = join(folder, `${scripts++}.lua`)
  const headers = Object.entries({ "content-type": "application/json", ...options.headers })
  writeFileSync(
    script,
    [
      `wrk.method = "${options.body === undefined ? "GET" : "POST"}"`,
      ...(options.body === undefined ? [] : [`wrk.body = ${JSON.stringify(options.body)}`]),
      ...headers.map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`),
      `done = function(summary, latency)
        local e = summary.errors
        io.write(string.format("RESULT %d %d %f %f %d\\n", summary.requests, summary.duration,
          latency:percentile(50) / 1000, latency:percentile(99) / 1000,
          e.connect + e.read + e.write + e.status + e.timeout))
      end`
    ].join("\n")
  )
  const { connections, seconds, url } = options
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s", "-s", script, url]
  const wrk = Bun.spawn(["wrk", ...args], { stdout: "pipe", stderr: "inherit" })
  const printed = await new Response(wrk.stdout).text()
  const [requests, micros, p50, p99, errors] = /RESULT (.*)/.exec(printed)?.[1]?.split(" ").map(Number) ?? []
  if (requests === undefined || micros === undefined) throw new Error(`wrk said: ${printed}`)
  return { perSecond: requests / (micros / 1e6), p50: p50!, p99: p99!, errors: errors! }
}

/** Where there is no wrk: the same load from Bun, which costs more of the shared cores. */
const loadWithBun = async (options: Load): Promise<Measured> => {
  const times: Array<number> = []
  let errors = 0
  const until = performance.now() + options.seconds * 1000
  const init = {
    method: options.body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", ...options.headers },
    ...(options.body === undefined ? {} : { body: options.body })
  }
  const connection = async () => {
    while (performance.now() < until) {
      const begun = performance.now()
      try {
        const response = await fetch(options.url, init)
        await response.text()
        if (!response.ok) errors++
      } catch {
        errors++
      }
      times.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: options.connections }, connection))
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { perSecond: times.length / options.seconds, p50: at(0.5), p99: at(0.99), errors }
}

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
