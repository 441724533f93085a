import { Database } from "bun:sqlite"
import { join } from "node:path"
import { noColumns } from "../../../src/contract/records/measures.ts"
import { columns } from "../../../src/requests/RequestRow.ts"
import type { RequestRow } from "../../../src/requests/RequestRow.ts"

const models = ["sandbox-text", "sandbox-smart", "sandbox-fast", "sandbox-embed"]
const upstreams = ["sandbox", "second", "third"]
const minuteMs = 60_000

/** What a request of a long day was like: most went well, some were refused, a few failed, were cut or left. */
const ending = (at: number): readonly [status: number, error: string] => {
  if (at % 41 === 0) return [429, "rate_limited"]
  if (at % 97 === 0) return [502, "upstream_failed"]
  if (at % 389 === 0) return [200, "upstream_failed"]
  if (at % 211 === 0) return [200, "hang_up"]
  return [200, ""]
}

interface Volume {
  readonly requests: number
  readonly tasks: number
  /** Over how long they are spread, up to now, in ms. */
  readonly spanMs: number
}

/** Puts requests with their sums and usage, and tasks, straight into the file of a gateway that is not running. */
export const storeVolume = (folder: string, { requests, spanMs, tasks }: Volume): void => {
  const db = new Database(join(folder, "data", "gateway.db"))
  const now = Date.now()
  const key = db.query<{ id: string; account_id: string }, []>("SELECT id, account_id FROM keys LIMIT 1").get()
  if (key === null) throw new Error("there is no key to store requests of")
  const timeOf = (at: number, all: number) => now - minuteMs - Math.floor((spanMs * (all - at)) / all)
  db.exec("PRAGMA synchronous = OFF")
  db.transaction(() => {
    const insert = db.prepare(
      `INSERT INTO requests (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`
    )
    for (let at = 0; at < requests; at++) {
      const [status, error] = ending(at)
      const isRefused = status === 429
      const upstream = isRefused ? "" : upstreams[at % upstreams.length]!
      const model = models[at % models.length]!
      const failedFirst = at % 53 === 0 && !isRefused
      const attempt = (name: string, status: number, error: string | undefined) => ({
        upstream: name,
        upstream_model: model,
        status,
        ...(error === undefined ? {} : { error }),
        duration_ms: 90 + (at % 700)
      })
      const details = {
        ...(isRefused
          ? {}
          : {
              attempts: [
                ...(failedFirst ? [attempt("third", 503, "overloaded")] : []),
                attempt(upstream, status, error === "" ? undefined : error)
              ]
            }),
        tags: [at % 2 === 0 ? "prod" : "batch"],
        client: "OpenAI/Python"
      }
      const row: RequestRow = {
        at: timeOf(at, requests),
        request_id: `req_${at.toString(36).padStart(24, "0")}`,
        account_id: key.account_id,
        key_id: key.id,
        family: "messages",
        endpoint: "/v1/messages",
        model,
        upstream_model: model,
        upstream,
        status,
        error,
        stream: at % 3 === 0 ? 1 : 0,
        first_byte_ms: 120 + (at % 900),
        duration_ms: 400 + ((at * 37) % 9_000),
        ...noColumns.requests,
        input_tokens: isRefused ? 0 : 300 + (at % 5_000),
        output_tokens: isRefused ? 0 : 20 + (at % 800),
        cost_nano_usd: isRefused ? null : 1_000_000 + (at % 9_000_000),
        upstream_cost_nano_usd: isRefused ? null : 1_000_000 + (at % 9_000_000),
        settled_at: isRefused ? null : timeOf(at, requests),
        // A few turns each; most of a day's requests belong to none.
        conversation: at % 5 === 0 ? `thread-${Math.floor(at / 50)}` : "",
        details: JSON.stringify(details)
      }
      insert.run(...columns.map((column) => row[column]))
    }
    db.exec(`INSERT INTO request_hours (hour, account_id, key_id, model, upstream, requests, errors, first_byte_ms,
        duration_ms, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, searches,
        cost_nano_usd)
      SELECT at - at % 3600000, account_id, key_id, CASE upstream WHEN '' THEN '' ELSE model END, upstream, COUNT(*),
        SUM(status >= 400 OR error <> ''), SUM(first_byte_ms), SUM(duration_ms), SUM(input_tokens), SUM(output_tokens),
        SUM(cache_read_tokens), SUM(cache_write_tokens), SUM(reasoning_tokens), SUM(searches),
        SUM(COALESCE(cost_nano_usd, 0))
      FROM requests GROUP BY 1, 2, 3, 4, 5`)
    // Days that were added up without these hours are added up once more.
    db.exec("DELETE FROM upkeep WHERE name = 'request_days'")
    db.exec(`INSERT INTO usage (at, request_id, account_id, key_id, model, upstream, outcome, estimated, input_tokens,
        cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, searches, video_frames, price, cost_nano_usd,
        upstream_cost_nano_usd)
      SELECT at, request_id, account_id, key_id, model, upstream, 'completed', 0, input_tokens, 0, 0, output_tokens, 0, 0,
        0, '', COALESCE(cost_nano_usd, 0), COALESCE(cost_nano_usd, 0) FROM requests WHERE upstream <> ''`)
    db.exec(`INSERT INTO usage_hours (hour, account_id, key_id, model, upstream, input_tokens, output_tokens,
        cost_nano_usd, upstream_cost_nano_usd)
      SELECT at - at % 3600000, account_id, key_id, model, upstream, SUM(input_tokens), SUM(output_tokens),
        SUM(cost_nano_usd), SUM(upstream_cost_nano_usd)
      FROM usage GROUP BY 1, 2, 3, 4, 5`)
    const task = db.prepare(
      `INSERT INTO tasks (id, kind, account_id, key_id, model, state, lane, upstream, upstream_id, details, changes,
        attempts, tries, next_run_at, created_at, updated_at, ended_at)
      VALUES (?, 'video', ?, ?, 'sandbox-video', ?, 'sandbox', 'sandbox', ?, '{}', 3, 0, 0, ?, ?, ?, ?)`
    )
    for (let at = 0; at < tasks; at++) {
      const began = timeOf(at, tasks)
      const ended = began + 30_000 + (at % 60_000)
      const id = `cgt-${at.toString(36).padStart(20, "0")}`
      task.run(
        id,
        key.account_id,
        key.id,
        at % 31 === 0 ? "failed" : at % 57 === 0 ? "cancelled" : "succeeded",
        `up-${at}`,
        ended,
        began,
        ended,
        ended
      )
    }
  })()
  db.close()
}
