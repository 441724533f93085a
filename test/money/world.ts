import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"

/** A create of each family, priced at a dollar: what is held for it is what it costs. */
export const families = {
  responses: {
    path: "/v1/responses",
    body: { model: "paid", input: "Hello", max_output_tokens: 1 },
    broke: { error: { code: "insufficient_quota", type: "insufficient_quota_error" } }
  },
  messages: {
    path: "/v1/messages",
    body: { model: "paid", messages: "Hello", max_tokens: 1 },
    broke: { type: "error", error: { type: "insufficient_balance" } }
  },
  chat: {
    path: "/v1/chat/completions",
    body: { model: "paid", messages: [{ role: "user", content: "Hello" }], max_completion_tokens: 1 },
    broke: { error: { code: "insufficient_quota", type: "insufficient_quota_error" } }
  },
  // Sixteen answers of a sixteenth of a dollar, each by a call of its own.
  several: {
    path: "/v1/chat/completions",
    body: { model: "paid-several", messages: [{ role: "user", content: "Hello" }], max_completion_tokens: 1, n: 16 },
    broke: { error: { code: "insufficient_quota", type: "insufficient_quota_error" } }
  },
  // Eight tokens as the gateway counts and the upstream tells, of an eighth of a dollar.
  embeddings: {
    path: "/v1/embeddings",
    body: { model: "paid-embeddings", input: "Hello Hello" },
    broke: { error: { code: "insufficient_quota", type: "insufficient_quota_error" } }
  },
  async: {
    path: "/v1/messages",
    body: { model: "paid", messages: "Hello", max_tokens: 1, async: true },
    broke: { type: "error", error: { type: "insufficient_balance" } }
  },
  videos: {
    path: "/api/v3/contents/generations/tasks",
    body: {
      model: "paid-video",
      content: [{ type: "text", text: "A cat" }],
      resolution: "480p",
      duration: 4
    },
    broke: { error: { code: "insufficient_balance", type: "authentication_error" } }
  }
} as const
export type Family = keyof typeof families
export const familyNames = Object.keys(families) as ReadonlyArray<Family>

/** How often an upstream is called for one of them. */
export const callsOf = (family: Family): number => (family === "several" ? families.several.body.n : 1)

export const dollar = 1_000_000_000
export const secretOf = (key: string) => `${key}-secret-0123456789-0123456789`

export const upstreamSecret = "sk-upstream-planted-0123456789"

interface Upstream {
  readonly url: string
  /** Calls so far. */
  readonly calls: () => number
  /** What it answers next; 200 with one token otherwise. */
  readonly failNext: (times: number) => void
  /** Answers nobody until what this answers is called. */
  readonly hold: () => () => void
  readonly stop: () => void
}

/** A message of one token, as a stream's frames; a stream ends with the last of them. */
const messageFrames = (message: object, text: string) => [
  { type: "message_start", message: { ...message, content: [], usage: { input_tokens: 1, output_tokens: 0 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  ...Array.from(text, (letter) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: letter }
  })),
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
  { type: "message_stop" }
]

/**
 * Speaks chat completions and messages: a word of one token, slowly enough for requests to meet, streamed where asked. And
 * embeddings, and Ark's video tasks, which are done when they are asked for; a prompt with `fails` fails, one with `waits` stays in the queue.
 */
const upstream = (): Upstream => {
  const videos = new Map<string, string>()
  const video = (request: Request, id: string, prompt: string | undefined) => {
    if (prompt === undefined)
      return Response.json({ error: { code: "ResourceNotFound", message: "no" } }, { status: 404 })
    if (request.method === "DELETE") return Response.json({})
    const record = { id, model: "m", created_at: 1, updated_at: 2 }
    if (prompt.includes("waits")) return Response.json({ ...record, status: "queued" })
    if (prompt.includes("fails"))
      return Response.json({ ...record, status: "failed", error: { code: "No", message: "no" } })
    const usage = { completion_tokens: 40_176, total_tokens: 40_176 }
    const content = { video_url: "https://media.example.com/a.mp4" }
    return Response.json({ ...record, status: "succeeded", content, usage, duration: 4 })
  }
  let calls = 0
  let failures = 0
  let held = Promise.resolve()
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const [, id] = /^\/api\/v3\/contents\/generations\/tasks\/(.*)$/.exec(pathname) ?? []
      if (id !== undefined) return video(request, id, videos.get(id))
      calls++
      if (pathname.startsWith("/api/v3")) {
        const made = `cgt-${calls}`
        videos.set(made, await request.text())
        return Response.json({ id: made })
      }
      const { model, stream } = (await request.json()) as { model: string; stream?: boolean }
      await Promise.all([Bun.sleep(100), held])
      if (failures > 0) {
        failures--
        return Response.json({ error: { message: "bad request", type: "invalid_request_error" } }, { status: 400 })
      }
      if (pathname === "/v1/embeddings") {
        const data = [{ object: "embedding", index: 0, embedding: [calls] }]
        return Response.json({ object: "list", data, model, usage: { prompt_tokens: 8, total_tokens: 8 } })
      }
      if (pathname === "/v1/messages") {
        const text = `Hi ${calls}`
        const message = { id: `msg_${calls}`, type: "message", role: "assistant", model, stop_reason: null }
        if (stream !== true) {
          const told = { stop_reason: "end_turn", usage: { input_tokens: 1, output_tokens: 1 } }
          return Response.json({ ...message, ...told, content: [{ type: "text", text }] })
        }
        return slowly(messageFrames(message, text).map((frame) => `event: ${frame.type}\n${dataOf(frame)}`))
      }
      const common = { id: `chatcmpl-${calls}`, created: 1, model }
      if (stream !== true) {
        const choices = [{ index: 0, message: { role: "assistant", content: `Hi ${calls}` }, finish_reason: "stop" }]
        return Response.json({ ...common, object: "chat.completion", choices, usage })
      }
      const chunk = (more: object) => dataOf({ ...common, object: "chat.completion.chunk", ...more })
      return slowly([
        ...["H", "i", ` ${calls}`].map((content) =>
          chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
        ),
        `${chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage })}data: [DONE]\n\n`
      ])
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    calls: () => calls,
    failNext: (times) => void (failures = times),
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    stop: () => void server.stop(true)
  }
}

const dataOf = (frame: object) => `data: ${JSON.stringify(frame)}\n\n`

/** A stream of these pieces. */
const slowly = (pieces: ReadonlyArray<string>) =>
  new Response(
    (async function* () {
      for (const [index, piece] of pieces.entries()) {
        if (index > 0) await Bun.sleep(30)
        yield piece
      }
    })() as never,
    { headers: { "content-type": "text/event-stream" } }
  )

export interface Ask {
  readonly key: string
  readonly family: Family
  readonly body?: object
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

export interface Answered {
  readonly status: number
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was answered
  readonly json: any
  readonly headers: Headers
}

export interface Account {
  readonly granted: number
  readonly settled: number
  readonly held: number
  readonly usage: ReadonlyArray<{ readonly cost: number; readonly outcome: string; readonly request_id: string }>
}

interface Options {
  readonly balanceUsd?: number
  /** Keys of each account beside its first: `leaver-1`, …; a key may leave few whole answers in a minute. */
  readonly moreKeys?: number
  readonly env?: Record<string, string>
  /** The program and its arguments; the sources by default. */
  readonly command?: ReadonlyArray<string>
}

/** A gateway whose accounts have ten dollars each (or what is said), and the upstream behind its text model. */
export const startWorld = async (keys: ReadonlyArray<string>, options: Options = {}) => {
  const { balanceUsd = 10, command, env = {}, moreKeys = 0 } = options
  const start = (folder: string) => startGateway({ folder, env, ...(command === undefined ? {} : { command }) })
  const up = upstream()
  const folder = mkdtempSync(join(tmpdir(), "gateway-money-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        up: { protocol: "openai-chat", base_url: `${up.url}/v1`, api_key: upstreamSecret },
        messages: { protocol: "anthropic-messages", base_url: `${up.url}/v1`, api_key: upstreamSecret },
        videos: { protocol: "ark-video", base_url: `${up.url}/api/v3`, api_key: upstreamSecret }
      },
      models: {
        // A dollar a token of output.
        paid: { routes: [{ upstream: "up" }], price: { output: 1_000_000 } },
        "paid-several": { routes: [{ upstream: "messages", model: "m" }], price: { output: 1_000_000 / 16 } },
        "paid-embeddings": { routes: [{ upstream: "up" }], kind: "embedding", price: { input: 1_000_000 / 8 } },
        reading: { routes: [{ upstream: "up" }], price: { input: 1_000, output: 1_000_000 } },
        "paid-video": { routes: [{ upstream: "videos", model: "m" }], price: { per_second: 0.25 } }
      },
      keys: keys.flatMap((name) => [
        { name, secret: secretOf(name), balance_usd: balanceUsd },
        ...Array.from({ length: moreKeys }, (_, n) => `${name}-${n + 1}`).map((key) => ({
          name: key,
          account: name,
          secret: secretOf(key)
        }))
      ])
    })
  )
  let gateway: GatewayProcess = await start(folder)
  const call = (path: string, key: string, init: RequestInit = {}) =>
    fetch(`${gateway.url}${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${secretOf(key)}`,
        "content-type": "application/json",
        ...(init.headers as Record<string, string>)
      }
    })
  const ask = async ({ body, family, idempotencyKey, key, signal }: Ask): Promise<Answered> => {
    const response = await call(families[family].path, key, {
      method: "POST",
      body: JSON.stringify({ ...families[family].body, ...body }),
      ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } }),
      ...(signal === undefined ? {} : { signal })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type") === "application/json"
    return { status: response.status, text, json: isJson ? JSON.parse(text) : undefined, headers: response.headers }
  }
  /** The account's money as its rows say; fails where the sums that are kept beside them differ. */
  const account = (name: string): Account => {
    const db = new Database(join(folder, "data/gateway.db"), { readonly: true })
    try {
      const sums = db
        .query(
          `SELECT granted_nano_usd AS granted, settled_nano_usd AS settled,
            (SELECT COALESCE(SUM(nano_usd), 0) FROM grants WHERE account_id = accounts.id) AS grants,
            (SELECT COALESCE(SUM(cost_nano_usd), 0) FROM usage WHERE account_id = accounts.id) AS costs,
            (SELECT COALESCE(SUM(nano_usd), 0) FROM holds WHERE account_id = accounts.id) AS held
          FROM accounts WHERE id = ?`
        )
        .get(name) as { granted: number; settled: number; grants: number; costs: number; held: number }
      if (sums.granted !== sums.grants || sums.settled !== sums.costs) throw new Error(`drift: ${JSON.stringify(sums)}`)
      const usage = db
        .query(`SELECT cost_nano_usd AS cost, outcome, request_id FROM usage WHERE account_id = ?`)
        .all(name) as Account["usage"]
      return { granted: sums.granted, settled: sums.settled, held: sums.held, usage }
    } finally {
      db.close()
    }
  }
  const tasks = (): ReadonlyArray<{ id: string; state: string }> => {
    const db = new Database(join(folder, "data/gateway.db"), { readonly: true })
    try {
      return db.query(`SELECT id, state, account_id FROM tasks`).all() as never
    } finally {
      db.close()
    }
  }
  return {
    up,
    folder,
    gateway: () => gateway,
    call,
    ask,
    account,
    tasks,
    /** Ends the process, however, and starts another one where it was. */
    restart: async (signal: NodeJS.Signals) => {
      gateway.signal(signal)
      await gateway.exited
      gateway = await start(folder)
    },
    dispose: async () => {
      up.stop()
      await gateway.dispose()
    }
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>

/** Looks until something is so. */
export const until = async <A>(look: () => A | Promise<A>, isSo: (seen: A) => boolean, ms = 90_000): Promise<A> => {
  const deadline = performance.now() + ms
  for (;;) {
    const seen = await look()
    if (isSo(seen)) return seen
    if (performance.now() > deadline) throw new Error(`it never came about; last seen: ${JSON.stringify(seen)}`)
    await Bun.sleep(20)
  }
}
