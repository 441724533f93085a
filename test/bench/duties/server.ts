import { Database } from "bun:sqlite"
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { CommitPause } from "../../../src/sql/CommitPause.ts"
import { stepOf } from "./steps.ts"

/**
 * `server.ts UPSTREAM STEP FOLDER`: the bare proxy with a gateway's duties up to that step, in plain calls and without what makes
 * them general: no contract, one dialect, one key, one model. Prints its address.
 */
const [upstream = "", last = "", folder = ""] = process.argv.slice(2)
const step = stepOf(last)
const does = (name: Parameters<typeof stepOf>[0]) => step >= stepOf(name)

const hash = (secret: string) => new Bun.CryptoHasher("sha256").update(secret).digest("hex")
const caller = { account: "acct_bench", key: "key_bench", requests: 0, tokens: 0, balance: 1e15 }
const callers = new Map([[hash("bench-key-0123456789abcdefghijkl"), caller]])
const models = new Map([["json-2000", { upstream: "native", price: { input: 1_000, output: 2_000 } }]])

const database = new Database(join(folder, `${last}.db`))
database.run("PRAGMA journal_mode = WAL")
database.run("PRAGMA synchronous = NORMAL")
const table = (name: string, columns: number) =>
  database.run(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, at BIGINT NOT NULL, request_id TEXT NOT NULL, account_id TEXT NOT NULL,
    ${Array.from({ length: columns - 3 }, (_, at) => `c${at} ${at < 6 ? "TEXT" : "BIGINT"} NOT NULL`).join(", ")})`)
const usageColumns = 18
const requestColumns = 22
table("usage", usageColumns)
table("requests", requestColumns)
database.run("CREATE INDEX usage_account ON usage (account_id, at)")
database.run("CREATE INDEX requests_request_id ON requests (request_id)")
database.run(
  "CREATE TABLE usage_days (account_id TEXT PRIMARY KEY, requests BIGINT NOT NULL, nano_usd BIGINT NOT NULL)"
)

type Value = string | number
const insert = (name: string, columns: number) => {
  const texts = ["at", "request_id", "account_id", ...Array.from({ length: columns - 3 }, (_, at) => `c${at}`)].join(
    ", "
  )
  const places = `(${Array(columns).fill("?").join(", ")})`
  return Array.from({ length: 17 }, (_, rows) =>
    rows === 0
      ? undefined
      : database.prepare(`INSERT INTO ${name} (${texts}) VALUES ${Array(rows).fill(places).join(", ")}`)
  )
}
const intoUsage = insert("usage", usageColumns)
const intoRequests = insert("requests", requestColumns)
const day = database.prepare(
  `INSERT INTO usage_days VALUES (?, ?, ?) ON CONFLICT (account_id) DO UPDATE
    SET requests = requests + excluded.requests, nano_usd = nano_usd + excluded.nano_usd`
)
const [begin, commit] = [database.prepare("BEGIN"), database.prepare("COMMIT")]

/** Writes rows of so many columns, and then what follows from their number. */
const writing = (inserts: ReturnType<typeof insert>, columns: number, follow?: (rows: number) => void) => {
  return (all: ReadonlyArray<Value>): void => {
    const whole = all.length / columns
    begin.run()
    for (let at = 0; at < whole; at += 16) {
      const some = Math.min(16, whole - at)
      inserts[some]?.run(...all.slice(at * columns, (at + some) * columns))
    }
    follow?.(whole)
    commit.run()
  }
}
const writeUsage = writing(intoUsage, usageColumns, (rows) => day.run(caller.account, rows, rows * 420_000))
const writeRequests = writing(intoRequests, requestColumns)

/** As the gateway does under load: at once where the last commit is long enough ago, else with those that come until then. */
const pause = new CommitPause(2.5)
let usageRows: Array<Value> = []
let written = Promise.withResolvers<void>()
let usageTimer: ReturnType<typeof setTimeout> | undefined
const commitUsage = () => {
  usageTimer = undefined
  const began = performance.now()
  const [rows, { resolve }] = [usageRows, written]
  usageRows = []
  written = Promise.withResolvers()
  writeUsage(rows)
  pause.after(performance.now() - began, rows.length / usageColumns)
  resolve()
}
/** Undefined where it is stored already. */
const usage = (values: ReadonlyArray<Value>): Promise<void> | undefined => {
  for (const value of values) usageRows.push(value)
  const { promise } = written
  const { left } = pause
  if (left > 0) {
    usageTimer ??= setTimeout(commitUsage, left)
    return promise
  }
  clearTimeout(usageTimer)
  commitUsage()
  return undefined
}

let requestRows: Array<Value> = []
let requestTimer: ReturnType<typeof setTimeout> | undefined
const commitRequests = () => {
  requestTimer = undefined
  const rows = requestRows
  requestRows = []
  writeRequests(rows)
}
const requests = (values: ReadonlyArray<Value>): void => {
  for (const value of values) requestRows.push(value)
  requestTimer ??= setTimeout(commitRequests, 100)
}

const log = createWriteStream(join(folder, `${last}.log`))
const lines = new Bun.ArrayBufferSink()
lines.start({ asUint8Array: true, stream: true })
let flushing: ReturnType<typeof setTimeout> | undefined
const flush = () => {
  flushing = undefined
  const bytes = lines.flush()
  if (bytes instanceof Uint8Array) log.write(bytes)
}
const buckets = Array<number>(20).fill(0)

let answered = 0
let isBusy = false
let end: Promise<void> | undefined
/** Answers of one turn of a busy event loop leave together. */
const endOfTurn = () => {
  answered++
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      isBusy = answered >= 8
      answered = 0
      end = undefined
      resolve()
    })
  })
  return isBusy ? end : undefined
}

/** Brackets and keys outside of strings, as `http/body.ts` counts them. */
const isBounded = (text: string): boolean => {
  let [depth, keys] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      do at = text.indexOf('"', at + 1)
      while (text.charCodeAt(at - 1) === 0x5c)
      if (at === -1) return true
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > 64) return false
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (code === 0x3a && ++keys > 100_000) return false
  }
  return true
}

interface Message {
  readonly model: string
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
}

let count = 0
const refused = (status: number) => Response.json({ type: "error" }, { status })

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  idleTimeout: 30,
  routes: {
    "/v1/messages": {
      POST: async (request, server) => {
        const begun = performance.now()
        const headers: Record<string, string> = { "content-type": "application/json" }
        const id = does("ids") ? `req_0123456789abcdef${(++count).toString(36).padStart(8, "0")}` : ""
        if (does("ids")) {
          headers["x-request-id"] = headers["request-id"] = id
          const own = request.headers.get("x-client-request-id")
          if (own !== null) headers["x-client-request-id"] = own
        }
        let known: typeof caller | undefined
        if (does("key")) {
          const secret = /^bearer +([^\s]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? ""
          known = callers.get(hash(secret))
          if (known === undefined) return refused(401)
        }
        if (does("limits") && known !== undefined) {
          known.requests++
          for (const kind of ["requests", "tokens"] as const) {
            headers[`anthropic-ratelimit-${kind}-limit`] = "100000000"
            headers[`anthropic-ratelimit-${kind}-remaining`] = String(100_000_000 - known[kind])
            headers[`anthropic-ratelimit-${kind}-reset`] = "2026-01-01T00:00:00Z"
          }
        }
        const text = await request.text()
        if (does("bounds") && !isBounded(text)) return refused(400)
        const body = JSON.parse(text) as Message & { readonly max_tokens: number }
        const model = models.get(body.model)
        if (does("limits") && (model === undefined || (known?.balance ?? 0) < body.max_tokens * 2_000))
          return refused(402)
        let signal: AbortSignal = request.signal
        if (does("hang-ups")) {
          const controller = new AbortController()
          request.signal.addEventListener("abort", () => controller.abort())
          server.timeout(request, 0)
          signal = controller.signal
        }
        const answer = await fetch(`${upstream}/v1/messages`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: "Bearer upstream" },
          body: JSON.stringify(body),
          signal
        })
        const whole = JSON.parse(await answer.text()) as Message
        const tokens = whole.usage.input_tokens + whole.usage.output_tokens
        if (does("ids")) headers["x-gateway-upstream"] = model?.upstream ?? ""
        if (does("usage") && known !== undefined) {
          known.tokens += tokens
          known.balance -= tokens * 2_000
          const more = Array.from({ length: 9 }, () => tokens)
          const stored = usage([
            Date.now(),
            id,
            known.account,
            known.key,
            body.model,
            "native",
            "finished",
            "price",
            "-",
            ...more
          ])
          if (stored !== undefined) await stored
        }
        const ms = performance.now() - begun
        if (does("rows") && known !== undefined) {
          const more = Array.from({ length: 13 }, () => tokens)
          const details = JSON.stringify({
            attempts: [{ upstream: "native", upstream_model: body.model, status: 200, duration_ms: ms }]
          })
          requests([Date.now(), id, known.account, known.key, "messages", body.model, "native", "", details, ...more])
        }
        if (does("log") && known !== undefined) {
          buckets[Math.min(19, Math.floor(ms))]!++
          lines.write(
            `{"time":"2026-01-01T00:00:00.000Z","level":"info","event":"request","message":"200 POST /v1/messages","request_id":"${id}","account":"${known.account}","key":"${known.key}","family":"messages","endpoint":"/v1/messages","method":"POST","path":"/v1/messages","status":200,"model":"${body.model}","upstream":"native","attempt":1,"stream":false,"duration_ms":${ms.toFixed(3)},"input_tokens":${whole.usage.input_tokens},"output_tokens":${whole.usage.output_tokens},"cost_usd":0.00042}\n`
          )
          flushing ??= setTimeout(flush, 100)
        }
        const response = new Response(JSON.stringify({ ...whole, id: "msg_0123456789abcdef", model: body.model }), {
          headers
        })
        if (does("together")) {
          const turn = endOfTurn()
          if (turn !== undefined) await turn
        }
        return response
      }
    }
  }
})
console.log(`listens on ${server.url.href.replace(/\/$/, "")}`)
