import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { agentRequest } from "./agentRequest.ts"
import { load, median } from "./load.ts"
import { cpuMicros, startScript } from "./processes.ts"
import { interval } from "./rounds.ts"
import { benchKey, configuration } from "./setting.ts"
import type { StreamLoad, StreamMeasured } from "./streams.ts"

/**
 * `bun run test:long bench:ab --base DIR [--rounds 9] [--seconds 3] [--only WORD] [--env NAME=VALUE,…]`: this build (`dist/gateway`) against another one
 * (`DIR/gateway`), side by side and in turn, so that whatever else the machine does falls on both. Prints, for each
 * load, the median of the rounds' ratios (this to the other) and the interval in which that median lies with 95 %: of
 * throughput, where more is better, and of the CPU that one request or event costs, where less is and which others on
 * the machine disturb less.
 */
const option = (name: string) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? undefined : process.argv[at + 1]
}
const base = option("base")
const only = option("only") ?? ""
const rounds = Number(option("rounds") ?? 9)
const seconds = Number(option("seconds") ?? 3)
if (base === undefined || !(rounds > 0) || !(seconds > 0)) {
  console.error(
    "bench:ab -- --base DIR [--rounds N] [--seconds S] [--only WORD OF A LOAD] [--env NAME=VALUE,…], where DIR/gateway is the other build, which has nothing of --env"
  )
  process.exit(2)
}
/** What the environment of this build alone has: `NAME=value,NAME=value`. */
const given = Object.fromEntries(
  (option("env") ?? "").split(",").flatMap((pair) => {
    const at = pair.indexOf("=")
    return at <= 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)] as const]
  })
)
const root = resolve(import.meta.dirname, "../..")

const upstream = await startScript("upstream.ts")
const passedChat = "  passed-chat: { routes: [{ upstream: chat, model: json-2000 }], price: { input: 1, output: 2 } }"
const yaml = configuration(upstream.url).replace("keys:", `${passedChat}\nkeys:`)

const started = (
  binary: string,
  config: string | undefined,
  more: Readonly<Record<string, string>> = {}
): Promise<GatewayProcess> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-ab-"))
  if (config !== undefined) writeFileSync(join(folder, "gateway.yaml"), config)
  return startGateway({
    command: [binary, "serve"],
    folder,
    env: { GATEWAY_CHECK_ANSWERS: "false", GATEWAY_BOOTSTRAP_KEY: benchKey, ...more },
    toFile: true
  })
}

const headers = { authorization: `Bearer ${benchKey}`, "content-type": "application/json" }
const messages = (model: string, rest: object = {}) =>
  JSON.stringify({ model, max_tokens: 1000, messages: [{ role: "user", content: "Say something." }], ...rest })

const response = (store: boolean) => JSON.stringify({ model: "json-2000-response", input: "Say something.", store })
/** One that stays queued for as long as the bench runs. */
const task = JSON.stringify({
  model: "sandbox-video",
  content: [{ type: "text", text: "[[sandbox: queue=3000s]] a cat" }]
})

/** More is better: requests or events a second. */
type Measure = (gateway: GatewayProcess, time: number) => Promise<{ readonly rate: number; readonly errors: number }>

const requests =
  (path: string, body: string): Measure =>
  async ({ url }, time) => {
    const { errors, perSecond } = await load({ url: url + path, body, headers, connections: 32, seconds: time })
    return { rate: perSecond, errors }
  }

const events =
  (model: string, path = "/v1/messages"): Measure =>
  async ({ url }, time) => {
    const options: StreamLoad = {
      url: url + path,
      body: messages(model, { stream: true }),
      headers,
      connections: 16,
      seconds: time
    }
    const child = Bun.spawn([process.execPath, resolve(import.meta.dirname, "streams.ts"), JSON.stringify(options)], {
      stdout: "pipe",
      stderr: "inherit",
      env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" }
    })
    const measured = JSON.parse(await new Response(child.stdout).text()) as StreamMeasured
    return { rate: measured.eventsPerSecond, errors: measured.errors }
  }

const loads: Readonly<Record<string, Measure>> = {
  "messages passed through": requests("/v1/messages", messages("json-2000")),
  "messages of 20 KB passed through": requests("/v1/messages", messages("json-20000")),
  "messages of an agent, 140 KB, passed through": requests("/v1/messages", agentRequest("json-2000")),
  "responses passed through": requests("/v1/responses", response(false)),
  "responses passed through, stored": requests("/v1/responses", response(true)),
  "responses of the sandbox, stored": requests(
    "/v1/responses",
    JSON.stringify({ model: "sandbox-text", input: "Say something." })
  ),
  "chat completions passed through": requests("/v1/chat/completions", messages("passed-chat")),
  "stream translated": events("fast-chat"),
  "stream of chat completions passed through": events("fast-chat", "/v1/chat/completions"),
  "stream passed through": events("fast"),
  "video tasks created": requests("/api/v3/contents/generations/tasks", task),
  "sandbox, no upstream": requests("/v1/messages", messages("sandbox-text"))
}

interface Sample {
  readonly rate: number
  readonly cpu: number
}

let errors = 0

const sampled = async (measure: Measure, gateway: GatewayProcess): Promise<Sample> => {
  const [cpu, at] = [cpuMicros(gateway.pid), performance.now()]
  const measured = await measure(gateway, seconds)
  errors += measured.errors
  const took = (performance.now() - at) / 1_000
  return { rate: measured.rate, cpu: (cpuMicros(gateway.pid) - cpu) / (measured.rate * Math.min(took, seconds)) }
}

const row = (what: string, unit: string, pairs: ReadonlyArray<readonly [number, number]>): void => {
  const ratios = pairs.map(([mine, theirs]) => mine / theirs)
  const [low, high] = interval(ratios).map((ratio) => ratio.toFixed(3))
  const [mine, theirs] = ([0, 1] as const).map((side) => median(pairs.map((pair) => pair[side])).toPrecision(4))
  console.log(`| ${what} | ${mine} ${unit} | ${theirs} ${unit} | ${median(ratios).toFixed(3)} | ${low} to ${high} |`)
}

const binaries = [resolve(root, "dist/gateway"), resolve(base, "gateway")]
const configured = await Promise.all(binaries.map((binary, which) => started(binary, yaml, which === 0 ? given : {})))
/** Without a configuration there is the sandbox alone. */
const sandboxes = await Promise.all(
  binaries.map((binary, which) => started(binary, undefined, which === 0 ? given : {}))
)
try {
  console.log("| load | this build | the other | ratio | 95 % of the median |\n|---|--:|--:|--:|--:|")
  for (const [name, measure] of Object.entries(loads).filter(([name]) => name.includes(only))) {
    const [own, other] = name.startsWith("sandbox") ? sandboxes : configured
    if (own === undefined || other === undefined) throw new Error("two builds are compared")
    for (const gateway of [own, other]) await measure(gateway, seconds * 2)
    const pairs: Array<readonly [Sample, Sample]> = []
    for (let round = 0; round < rounds; round++) {
      // The order matters, so they take turns.
      const [first, second] = round % 2 === 0 ? [own, other] : [other, own]
      const [one, two] = [await sampled(measure, first), await sampled(measure, second)]
      pairs.push(round % 2 === 0 ? [one, two] : [two, one])
    }
    row(
      `${name}: a second`,
      "",
      pairs.map(([mine, theirs]) => [mine.rate, theirs.rate])
    )
    row(
      `${name}: CPU of one`,
      "µs",
      pairs.map(([mine, theirs]) => [mine.cpu, theirs.cpu])
    )
  }
  console.log(`\n${rounds} rounds of ${seconds} s each, ${errors} errors`)
  if (errors > 0) process.exitCode = 1
} finally {
  upstream.stop()
  await Promise.all([...configured, ...sandboxes].map((gateway) => gateway.dispose()))
}
