import { Database } from "bun:sqlite"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { adminKey, operated, operatedFolder } from "../console/browser/browser.ts"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { request } from "../request.ts"
import { fakeUpstreams } from "./fakeUpstreams.ts"

const dayMs = 86_400_000
/** Days since a day of the week before. */
const lastWeek = 10

const configOf = (port: number) => `
upstreams:
  near: { protocol: openai-chat, base_url: "http://127.0.0.1:${port}/near/v1", api_key: near-secret-0123456789 }
  far: { protocol: openai-chat, base_url: "http://127.0.0.1:${port}/far/v1", api_key: far-secret-0123456789 }
  shaky: { protocol: openai-chat, base_url: "http://127.0.0.1:${port}/shaky/v1", api_key: shaky-secret-0123456789 }
models:
  smart: { routes: [{ upstream: near, model: smart }], price: { input: 3, cached_input: 0.3, output: 15 } }
  steady: { routes: [{ upstream: shaky, model: steady }, { upstream: near, model: steady }], price: { input: 1, output: 5 } }
  cheap: { routes: [{ upstream: far, model: cheap }], price: { input: 0.1, output: 0.4 } }
  draft: { routes: [{ upstream: near, model: draft }], price: { input: 1, output: 5 } }
  raw: { routes: [{ upstream: near, model: raw }] }
accounts: { support: { record: { bodies: on } } }
`

/** A key as it was made: its id and its secret. */
interface Made {
  readonly id: string
  readonly secret: string
}

type FailedBy = "cut" | "forbidden" | "model_forbidden" | "quota_exceeded" | "spent_out" | "unpriced"

export interface Week {
  readonly gateway: GatewayProcess
  readonly keys: Readonly<Record<"bot" | "notebook" | "storyboards", Made>>
  /** The request that an upstream refused. */
  readonly failed: string
  /** Requests that failed for other reasons, by the code of their failure. */
  readonly failures: Readonly<Record<FailedBy, string>>
  /** The requests of one conversation, the first one first. */
  readonly conversation: ReadonlyArray<string>
  /** The task whose callback is stuck. */
  readonly task: string
  /** Adds up an expression over the rows of the ledger that a condition matches, both in SQL. */
  readonly ledger: (sum: string, where?: string) => number
  readonly dispose: () => Promise<unknown>
}

/**
 * A week of traffic: `research` spends most, on `smart`; `far` is slow; `shaky` fails behind `near`; the budget of
 * `notebook` is nearly used up; a callback is stuck; the configuration has been changed; one request has failed and one
 * conversation went wrong. The days before today are copies of today's rows and sums, and of the requests of one day of
 * the week before, when `far` took half of its time.
 */
export const storeWeek = async (): Promise<Week> => {
  // What is stored first is one day's: shortly before midnight (UTC) it waits for the next one.
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < 30_000) await Bun.sleep(leftMs)
  const upstreams = fakeUpstreams()
  const config = configOf(upstreams.port ?? 0)
  const first = await startGateway({ folder: operatedFolder(config), ...operated() })
  const admin = async (path: string, body?: object, method = body === undefined ? "GET" : "POST") => {
    const answer = await request(first, `/admin/v1${path}`, {
      key: adminKey,
      method,
      ...(body === undefined ? {} : { body })
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  for (const id of ["research", "studio"]) await admin("/accounts", { id, balance_usd: "50" })
  await admin("/accounts/support/credit", { usd: "50" })
  const make = async (name: string, account: string, more: object = {}): Promise<Made> => {
    const { key, secret } = await admin("/keys", { name, account, ...more })
    return { id: key.id, secret }
  }
  const keys = {
    notebook: await make("notebook", "research"),
    bot: await make("support-bot", "support"),
    storyboards: await make("storyboards", "studio")
  }
  const chat = async (
    key: Made,
    model: string,
    messages: ReadonlyArray<object>,
    headers: Readonly<Record<string, string>> = {}
  ) => {
    const answer = await request(first, "/v1/chat/completions", {
      key: key.secret,
      body: { model, max_tokens: 400, messages },
      headers
    })
    await answer.text()
    return answer.headers.get("x-request-id") ?? ""
  }
  const user = (content: string) => ({ role: "user", content })
  for (let at = 0; at < 24; at++) await chat(keys.notebook, "smart", [user(`Summarise paper ${at}`)])
  for (let at = 0; at < 12; at++)
    await chat(keys.bot, "steady", [user(`Where is my order ${at}?`)], { "x-gateway-tags": "prod" })
  for (let at = 0; at < 4; at++) await chat(keys.storyboards, "cheap", [user(`A scene with a boat ${at}`)])
  const failed = await chat(keys.bot, "steady", [user("An impossible question")])
  await admin("/accounts", { id: "lab", balance_usd: "5" })
  const [lab, tight, narrow] = [
    await make("lab", "lab"),
    await make("tight", "lab", { budgets: [{ usd: 0.000_001, per: "month" }] }),
    await make("narrow", "lab", { models: ["smart"] })
  ]
  const message = async (key: Made, model: string, more: object = {}) => {
    const body = { model, max_tokens: 400, messages: [user("Hello")], ...more }
    const answer = await request(first, "/v1/messages", { key: key.secret, body })
    await answer.text()
    return answer.headers.get("x-request-id") ?? ""
  }
  const failures = {
    quota_exceeded: await message(tight, "draft"),
    spent_out: await chat(tight, "draft", [user("Hello")]),
    unpriced: await message(lab, "raw"),
    model_forbidden: await message(narrow, "draft"),
    forbidden: await chat(lab, "draft", [user("Hello")], { "x-gateway-route": "only=near" }),
    cut: await message(lab, "draft", { stream: true, messages: [user("Break off")] })
  }
  const session = { "x-claude-code-session-id": "5b0f7d4e-7f1e-4f0a-9a53-0f4b8c1de001" }
  const conversation: Array<string> = []
  const said: Array<object> = []
  for (const text of ["Book a table for two", "For tomorrow at eight", "An impossible wish"]) {
    said.push(user(text))
    conversation.push(await chat(keys.bot, "cheap", said, session))
    said.push({ role: "assistant", content: `Answer to ${text}` })
  }
  // No receiver listens there: its callbacks are tried again for hours.
  const video = await request(first, "/api/v3/contents/generations/tasks", {
    key: keys.storyboards.secret,
    body: {
      model: "sandbox-video",
      resolution: "480p",
      frames: 29,
      content: [{ type: "text", text: "A paper boat" }],
      callback_url: "http://127.0.0.1:9/hook"
    }
  })
  const { id: task } = await video.json()
  const kept = async () => (await (await admin("/requests?limit=100")).data.length) >= 24 + 12 + 4 + 1 + 6 + 3
  while (!(await kept())) await Bun.sleep(50)
  const isTried = async () => {
    const { data } = await admin("/deliveries")
    return data.some(({ attempts }: { readonly attempts: ReadonlyArray<unknown> }) => attempts.length > 0)
  }
  while (!(await isTried())) await Bun.sleep(50)
  first.signal("SIGTERM")
  await first.exited
  repeatDays(first.folder, 6)
  const gateway = await startGateway({ folder: first.folder, ...operated() })
  const db = new Database(join(first.folder, "data", "gateway.db"), { readonly: true })
  const ledger = (sum: string, where = "1") =>
    db.query<{ sum: number | null }, []>(`SELECT SUM(${sum}) AS sum FROM usage WHERE ${where}`).get()?.sum ?? 0
  // A tenth of this month's budget is left.
  const usd = (ledger("cost_nano_usd", `key_id = '${keys.notebook.id}' AND ${thisMonth}`) * 1.1) / 1e9
  await request(gateway, `/admin/v1/keys/${keys.notebook.id}`, {
    key: adminKey,
    method: "PATCH",
    body: { budgets: [{ usd, per: "month" }] }
  })
  // An operator changes a price.
  const file = join(first.folder, "gateway.yaml")
  const text = (await Bun.file(file).text()).replace("input: 0.1, output: 0.4", "input: 0.2, output: 0.8")
  writeFileSync(file, text)
  gateway.signal("SIGHUP")
  const isAudited = db.query("SELECT 1 FROM audit WHERE action = 'configuration.reload'")
  while (isAudited.get() === null) await Bun.sleep(50)
  return {
    gateway,
    keys,
    failed,
    failures,
    conversation,
    task,
    ledger,
    dispose: () => {
      db.close()
      return Promise.all([gateway.dispose(), upstreams.stop(true)])
    }
  }
}

const nothing = "Nothing was charged\\."

/** What the reason of each failure begins with, and what was charged. */
export const whyThoseFailed: ReadonlyArray<{ readonly code: FailedBy; readonly why: RegExp }> = [
  { code: "quota_exceeded", why: new RegExp(`^A budget is used up, or has less left .* ${nothing}`) },
  { code: "spent_out", why: new RegExp(`^A budget is used up, or has less left .* ${nothing}`) },
  { code: "unpriced", why: new RegExp(`^The model has no price .* ${nothing}`) },
  { code: "model_forbidden", why: new RegExp(`^The key or its account may not use this model\\. .* ${nothing}`) },
  { code: "forbidden", why: new RegExp(`^The key may not do this, whatever the model\\. .* ${nothing}`) },
  { code: "cut", why: /^The answer broke off after it had begun\. / }
]

/** Conditions on rows of the ledger, in UTC. */
export const thisMonth = "strftime('%Y-%m', at / 1000, 'unixepoch') = strftime('%Y-%m', 'now')"
export const yesterday = "date(at / 1000, 'unixepoch') = date('now', '-1 day')"

/** How long an upstream's calls took, whatever the machine did meanwhile. */
const took = (upstream: string) => `CASE ${upstream} WHEN 'far' THEN 320 ELSE 40 END`

/** Copies the rows and sums of today to the days before. */
const repeatDays = (folder: string, days: number): void => {
  const db = new Database(join(folder, "data", "gateway.db"))
  db.exec(`UPDATE requests SET duration_ms = ${took("upstream")}, details = json_replace(details,
    '$.attempts[0].duration_ms', ${took("json_extract(details, '$.attempts[0].upstream')")},
    '$.attempts[1].duration_ms', 40)`)
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  for (const { name } of tables) {
    const all = db.query<{ name: string; pk: number }, []>(`SELECT name, pk FROM pragma_table_info('${name}')`).all()
    const columns = all.map(({ name }) => name)
    const isOfRequests = columns.includes("request_id") && columns.includes("at")
    const isSum = all.some(({ name, pk }) => (name === "hour" || name === "day") && pk > 0)
    if (!isOfRequests && !isSum) continue
    db.exec(`CREATE TEMP TABLE today AS SELECT * FROM ${name}`)
    const shiftedBy = (day: number) =>
      columns.map((column) => {
        // Ids are in the order of times, as rows are found by both.
        if (column === "id") return `id - ${day * 1_000}`
        if (column === "at" || column === "hour" || column === "settled_at") return `${column} - ${day * dayMs}`
        if (column === "day") return `date(day, '-${day} days')`
        if (column === "conversation") return `CASE conversation WHEN '' THEN '' ELSE conversation || '-${day}' END`
        return column === "request_id" ? `request_id || '-${day}'` : column
      })
    for (let day = 1; day <= days; day++) {
      db.exec(`INSERT INTO ${name} (${columns.join(", ")}) SELECT ${shiftedBy(day).join(", ")} FROM today`)
    }
    if (name === "requests" || name === "request_hours") {
      const earlier = shiftedBy(lastWeek).map((column) =>
        column === "duration_ms" && columns.includes("upstream")
          ? "CASE upstream WHEN 'far' THEN duration_ms / 2 ELSE duration_ms END"
          : column
      )
      db.exec(`INSERT INTO ${name} (${columns.join(", ")}) SELECT ${earlier.join(", ")} FROM today`)
    }
    db.exec("DROP TABLE today")
  }
  db.exec(`UPDATE accounts SET settled_nano_usd = settled_nano_usd * ${days + 1}`)
  // The days before are added up once more, with these rows.
  db.exec("DELETE FROM upkeep WHERE name = 'request_days'")
  db.close()
}
