import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Load {
  readonly url: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
  /** What each answer has to have in it, beside 200 tokens; without it no answer is looked into. */
  readonly text?: string | undefined
  /** The core that `wrk` runs on; anywhere where there is none. */
  readonly core?: string | undefined
}

/** One measured round. Times in milliseconds; errors are socket errors, answers other than 2xx, and wrong ones. */
export interface Measured {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly errors: number
}

const folder = mkdtempSync(join(tmpdir(), "gateway-bench-"))
let scripts = 0

/** A script's part that counts wrong answers; a status other than 2xx is counted by `wrk` itself. */
const checking = (text: string) => `wrong = 0
local expected = ${JSON.stringify(text)}
function setup(thread) checked = thread end
function response(status, headers, body)
  local is_right = status < 300 and body:find(expected, 1, true) and body:find('_tokens":%s*200')
  if is_right then return end
  if not told then io.stderr:write("wrong: ", status, " ", body:sub(1, 300), "\\n") end
  told = true
  if status < 300 then wrong = wrong + 1 end
end`

/** Where a whole answer of the bench's upstream tells how many tokens it has, in every dialect. */
export const tellsTokens = /_tokens":\s*200/

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
      ...(options.text === undefined ? [] : [checking(options.text)]),
      `done = function(summary, latency)
        local e = summary.errors
        local wrong = checked and checked:get("wrong") or 0
        io.write(string.format("RESULT %d %d %f %f %d\\n", summary.requests, summary.duration,
          latency:percentile(50) / 1000, latency:percentile(99) / 1000,
          e.connect + e.read + e.write + e.status + e.timeout + wrong))
      end`
    ].join("\n")
  )
  const { connections, seconds, url } = options
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s", "-s", script, url]
  const pinned = options.core === undefined ? [] : ["taskset", "-c", options.core]
  const wrk = Bun.spawn([...pinned, "wrk", ...args], { stdout: "pipe", stderr: "inherit" })
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
        const answer = await response.text()
        const isRight = options.text === undefined || (answer.includes(options.text) && tellsTokens.test(answer))
        if (!response.ok || !isRight) errors++
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
