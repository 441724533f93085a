import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { upstream } from "./upstream.ts"

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
  // A unit of a dollar.
  rerank: {
    path: "/v1/rerank",
    body: { model: "paid-rerank", query: "Hello", documents: ["Hello", "Bye"] },
    broke: { error: { code: "insufficient_quota", type: "insufficient_quota_error" } }
  },
  async: {
    path: "/v1/messages",
    body: { model: "paid", messages: "Hello", max_tokens: 1, async: true },
    broke: { type: "error", error: { type: "insufficient_balance" } }
  },
  // Ark makes one frame more, which is held too.
  videos: {
    path: "/api/v3/contents/generations/tasks",
    body: {
      model: "paid-video",
      content: [{ type: "text", text: "A cat" }],
      resolution: "480p",
      frames: 29
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
  readonly env?: Record<string, string>
  /** The program and its arguments; the sources by default. */
  readonly command?: ReadonlyArray<string>
}

/** A gateway whose accounts have ten dollars each (or what is said), and the upstream behind its text model. */
export const startWorld = async (keys: ReadonlyArray<string>, options: Options = {}) => {
  const { balanceUsd = 10, command, env = {} } = options
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
        "paid-rerank": { routes: [{ upstream: "up" }], price: { per_rerank_unit: 1 } },
        reading: { routes: [{ upstream: "up" }], price: { input: 1_000, output: 1_000_000 } },
        "paid-video": { routes: [{ upstream: "videos", model: "m" }], price: { per_second: 0.8 } }
      },
      keys: keys.map((name) => ({ name, secret: secretOf(name), balance_usd: balanceUsd }))
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
      return db.query<{ id: string; state: string }, []>(`SELECT id, state, account_id FROM tasks`).all()
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
