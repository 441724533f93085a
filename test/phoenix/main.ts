/**
 * Phoenix of PyPI is the collector of a gateway that Claude Code works by, three turns for each of three accounts: one whose
 * contents are told, one whose contents are redacted and one whose contents stay here. Phoenix's own API is asked for what it
 * grouped and understood, and its whole database for words that must not be in it. The log lines go to a collector that reads
 * them with OpenTelemetry's own code (`collector.py`). Needs python3, npm, and the network for the installation.
 *
 *   bun run test:long phoenix
 *   PHOENIX_PICTURES=folder bun run test:long phoenix    also takes pictures of Phoenix's pages; needs chromium
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { order } from "../agents/judged.ts"
import { install } from "../agents/programs.ts"
import { makeFolder, note, runProgram } from "../agents/run.ts"
import { startWorld } from "../agents/world.ts"
import { freePort } from "../freePort.ts"
import { apiOf, takePictures } from "./api.ts"
import type { Span } from "./api.ts"

const version = "20.26.1"
const home = resolve(import.meta.dirname, "../../node_modules/.cache/phoenix", version)
const program = (name: string) => join(home, "bin", name)

if (!existsSync(join(home, "installed"))) {
  mkdirSync(home, { recursive: true })
  console.log(`Installing arize-phoenix ${version}`)
  execFileSync("python3", ["-m", "venv", "--clear", home])
  const packages = [`arize-phoenix==${version}`, "opentelemetry-proto==1.45.2"]
  execFileSync(program("python"), ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages])
  writeFileSync(join(home, "installed"), "")
}
await install("claude")

let failed = 0
const check = (name: string, is: boolean, found: unknown = "") => {
  console.log(is ? `ok   ${name}` : `FAIL ${name} ${JSON.stringify(found)?.slice(0, 1_000)}`)
  if (!is) failed++
}

/** Polls until it holds, or five minutes are over. */
const until = async <A>(read: () => Promise<A>, holds: (value: A) => boolean): Promise<A> => {
  for (const end = performance.now() + 300_000; ; await Bun.sleep(200)) {
    const value = await read()
    if (holds(value) || performance.now() > end) return value
  }
}

const nowhere = "http://127.0.0.1:9"
const local = { HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NO_PROXY: "127.0.0.1,localhost" }
const data = mkdtempSync(join(tmpdir(), "gateway-phoenix-"))
const port = freePort()
const url = `http://127.0.0.1:${port}`
const { sessionsOf, shownOf, spansOf } = apiOf(url)
const phoenix = Bun.spawn([program("phoenix"), "serve"], {
  stdout: "ignore",
  stderr: "ignore",
  env: {
    PATH: process.env["PATH"] ?? "",
    HOME: data,
    PHOENIX_WORKING_DIR: data,
    PHOENIX_HOST: "127.0.0.1",
    PHOENIX_PORT: String(port),
    PHOENIX_GRPC_PORT: String(freePort()),
    PHOENIX_TELEMETRY_ENABLED: "false",
    ...local
  }
})
const collector = Bun.spawn([program("python"), join(import.meta.dirname, "collector.py")], {
  stdout: "pipe",
  stderr: "inherit"
})

interface Log {
  readonly body: string
  readonly event: string
  readonly severity: number
  /** Fields of a record that OpenTelemetry does not know. */
  readonly unknown: number
  readonly traceId: string
  readonly spanId: string
  readonly service: string
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
const logs: Array<Log> = []
const listening = Promise.withResolvers<string>()
const gathered = (async () => {
  let rest = ""
  for await (const chunk of collector.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${chunk}`.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (line.startsWith("{")) logs.push(JSON.parse(line) as Log)
      else listening.resolve(line)
    }
  }
})()

const accounts = ["told", "careful", "silent"] as const
type Account = (typeof accounts)[number]
const secrets: Readonly<Record<Account, string>> = {
  told: "sk-told-aaaaaaaaaaaaaaaaaaaaaaaa",
  careful: "sk-careful-bbbbbbbbbbbbbbbbbbbbbbbb",
  silent: "sk-silent-cccccccccccccccccccccccc"
}
const keyOf = (account: Account) => `key-of-${account}-0123456789abcdef`

const logsPort = await listening.promise
const world = await startWorld({
  settings: {
    telemetry: { contents: "all" },
    accounts: {
      careful: { telemetry_contents: "redacted", record: { bodies: "off", redact: ["Ada [A-Z][a-z]+"] } },
      silent: { telemetry_contents: "off" }
    },
    keys: accounts.map((account) => ({ name: account, secret: keyOf(account), account }))
  },
  env: {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_BSP_SCHEDULE_DELAY: "100",
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `http://127.0.0.1:${logsPort}/v1/logs`,
    OTEL_BLRP_SCHEDULE_DELAY: "100"
  }
})

/** The whole database, with what is not yet in its main file. */
const stored = (): string =>
  readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString("latin1"))
    .join("\n")

/** A session of three turns, the second of which uses a tool. @returns its id */
const work = async (account: Account): Promise<string> => {
  const folder = makeFolder()
  const claude = async (prompt: string, ...more: ReadonlyArray<string>) => {
    const { code, output } = await runProgram("claude", {
      folder,
      args: ["-p", prompt, "--output-format", "json", "--allowedTools", "Bash", ...more],
      env: {
        ANTHROPIC_BASE_URL: world.gateway.url,
        ANTHROPIC_AUTH_TOKEN: keyOf(account),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1"
      }
    })
    check(`${account}: Claude Code ends well`, code === 0, output.slice(-500))
    return output
  }
  try {
    const first = await claude(`first words of ${account}, I am Ada Lovelace with ${secrets[account]}`)
    await claude(order("Bash", { command: "cat note.txt", description: "reads" }), "--continue")
    await claude(`last words of ${account}`, "--continue")
    return /"session_id":"([^"]+)"/.exec(first)?.[1] ?? ""
  } finally {
    folder.dispose()
  }
}

try {
  const isUp = await until(
    () =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false
      ),
    (is) => is
  )
  check("Phoenix answers", isUp)
  const ids = new Map<Account, string>()
  for (const account of accounts) ids.set(account, await work(account))

  const answered = await until(
    async () => logs.filter(({ event }) => event === "request"),
    (all) => all.length >= 12
  )
  const spans = await until(spansOf, (spans) => spans.filter((span) => span.parent_id === null).length >= 12)
  const sessions = await until(sessionsOf, (all) => all.length >= 3)
  const shown = await shownOf()
  check(
    "each session of Claude Code is one session",
    sessions.length === 3,
    sessions.map((one) => one.session_id)
  )
  const isOf = (span: Span, account: Account) =>
    sessions
      .find((one) => one.session_id === ids.get(account))
      ?.traces.some(({ trace_id }) => trace_id === span.context.trace_id)
  for (const account of accounts) {
    const session = sessions.find((one) => one.session_id === ids.get(account))
    check(
      `${account}: the session has at least four requests and their tokens`,
      (session?.traces.length ?? 0) >= 4 && (session?.token_count_total ?? 0) > 0,
      session
    )
    const mine = spans.filter((span) => isOf(span, account))
    const llm = mine.filter((span) => span.span_kind === "LLM")
    check(
      `${account}: each request has a generation`,
      llm.length === session?.traces.length,
      mine.map(({ name, span_kind }) => [name, span_kind])
    )
    const told = JSON.stringify(llm.map(({ attributes }) => attributes))
    const { first = "", last = "" } = shown.get(ids.get(account) ?? "") ?? {}
    const isTold = account !== "silent"
    check(
      `${account}: the list of sessions has the first prompt and the last answer`,
      isTold
        ? first.includes(`first words of ${account}`) && last.includes(`last words of ${account}`)
        : first === "" && last === "",
      { first, last }
    )
    check(
      `${account}: generations have messages, as Phoenix reads them`,
      isTold ===
        (told.includes("llm.input_messages") &&
          told.includes("llm.output_messages") &&
          told.includes(`last words of ${account}`)),
      Object.keys(llm[0]?.attributes ?? {})
    )
    check(
      `${account}: and tools with their results`,
      isTold === (told.includes("llm.tools") && told.includes(note)),
      Object.keys(llm.at(-1)?.attributes ?? {})
    )
  }

  const whole = stored()
  for (const words of ["first words of told", "last words of told", secrets.told, "first words of careful"])
    check(`the database has ${JSON.stringify(words)}`, whole.includes(words))
  for (const words of [
    "words of silent",
    secrets.silent,
    secrets.careful,
    "Ada Lovelace with [redacted]",
    keyOf("told"),
    keyOf("silent")
  ])
    check(`the database has no ${JSON.stringify(words)}`, !whole.includes(words))
  check("the careful account's name is redacted", whole.includes("I am [redacted] with [redacted]"))

  check(
    "log lines are read by OpenTelemetry's own code",
    answered.length >= 12 &&
      answered.every(
        ({ body, service, severity, unknown }) =>
          body !== "" && severity > 0 && unknown === 0 && service === "model-gateway"
      ),
    answered.slice(0, 2)
  )
  const roots = new Map(
    spans.filter((span) => span.parent_id === null).map(({ context }) => [context.trace_id, context.span_id])
  )
  const met = answered.filter(({ spanId, traceId }) => roots.get(traceId) === spanId)
  check("each line of a generation names its span in Phoenix", met.length >= 12, [met.length, roots.size])
  check("log lines have no contents", !JSON.stringify(logs).includes("words of"))

  const pictures = process.env["PHOENIX_PICTURES"]
  if (pictures !== undefined) await takePictures(url, pictures, ids.get("told") ?? "", "last words of told")
} finally {
  await world.dispose()
  phoenix.kill()
  collector.kill()
  await Promise.all([phoenix.exited, collector.exited, gathered])
  rmSync(data, { recursive: true, force: true })
}
console.log(failed === 0 ? "all held" : `${failed} did not hold`)
process.exitCode = failed === 0 ? 0 : 1
