import { SQL } from "bun"
import type { ReservedSQL } from "bun"
import { Context, Effect } from "effect"
import type { Scope } from "effect"
import { clearDeadline, setDeadline } from "../../flow/deadlines.ts"
import { Turns } from "./Turns.ts"

export interface PoolOptions {
  readonly url: string
  /** The most connections. */
  readonly connections: number
  /** True if the server keeps named statements. A pooler that changes connections per statement does not. */
  readonly prepares: boolean
  /** True behind such a pooler. It accepts no settings per connection, so each transaction sets them. */
  readonly isPooled?: boolean
  /** The connections' application name. */
  readonly name: string
  /** The time limit of a statement or an idle transaction, in ms; none if absent. */
  readonly mostMs?: number
  /** Called with each statement that took `slowMs` or longer: its text, which contains no values, and its ms. */
  readonly slow?: ((text: string, tookMs: number) => void) | undefined
  readonly slowMs?: number
}

/** Sends statements, on any connection or on a reserved one. */
export interface Sender {
  readonly unsafe: (text: string, values?: Array<unknown>) => PromiseLike<unknown>
}

/** The outcome of a statement. */
type End = { readonly answer: unknown } | { readonly failed: unknown }

export interface Pool {
  readonly turns: Turns
  /** The statement that begins a transaction. */
  readonly begin: string
  readonly all: () => SQL
  /** Reserves a connection, or opens one if none is idle. */
  readonly reserve: () => Promise<ReservedSQL>
  /** Sends a statement and reports its outcome. Can't be cancelled. */
  readonly run: (on: Sender, text: string, values: ReadonlyArray<unknown>, ended: (end: End) => void) => void
}

/** Statements under way and connections being opened, of all clients that share this value. */
export class UnderWay extends Context.Reference<UnderWay>()("gateway/sql/postgres/UnderWay", {
  defaultValue: () => ({ statements: 0 })
}) {}

/** How late the server may be with its own time limits, in ms. */
const graceMs = 5_000

/**
 * The driver's connections. If the server stops answering without closing its connections, a statement that exceeds its
 * time limit makes the pool drop all connections and open new ones.
 */
export const makePool = ({
  connections,
  isPooled = false,
  mostMs,
  name,
  prepares,
  slow,
  slowMs = Infinity,
  url
}: PoolOptions): Effect.Effect<Pool, never, Scope.Scope> =>
  Effect.gen(function* () {
    const underWay = yield* UnderWay
    const connect = () =>
      new SQL({
        url,
        max: connections,
        prepare: prepares,
        bigint: true,
        connectionTimeout: 5,
        connection: {
          application_name: name,
          ...(mostMs === undefined || isPooled
            ? {}
            : { statement_timeout: mostMs, idle_in_transaction_session_timeout: mostMs })
        }
      })
    const leave = (sql: SQL) => sql.close({ timeout: 0 }).catch(() => {})
    const held = yield* Effect.acquireRelease(
      Effect.sync(() => ({ sql: connect() })),
      ({ sql }) => Effect.promise(() => leave(sql))
    )

    /** When each statement was sent, the oldest first. */
    const sent = new Map<object, number>()
    const late = {
      deadlinePlace: -1,
      look: (now: number): number => {
        const [oldest] = sent.values()
        if (mostMs === undefined || oldest === undefined) return now + graceMs
        if (now - oldest < mostMs + graceMs) return oldest + mostMs + graceMs
        const silent = held.sql
        held.sql = connect()
        sent.clear()
        void leave(silent)
        return now + graceMs
      }
    }
    if (mostMs !== undefined) {
      yield* Effect.acquireRelease(
        Effect.sync(() => setDeadline(late, graceMs)),
        () => Effect.sync(() => clearDeadline(late))
      )
    }

    const run: Pool["run"] = (on, text, values, ended) => {
      const statement = {}
      const begun = performance.now()
      if (mostMs !== undefined) sent.set(statement, begun)
      underWay.statements++
      const end = (how: End) => {
        sent.delete(statement)
        underWay.statements--
        const tookMs = performance.now() - begun
        if (tookMs >= slowMs) slow?.(text, tookMs)
        ended(how)
      }
      on.unsafe(text, [...values]).then(
        (answer) => end({ answer }),
        (failed: unknown) => end({ failed })
      )
    }
    const reserve: Pool["reserve"] = () => {
      underWay.statements++
      return held.sql.reserve().finally(() => underWay.statements--)
    }
    const begin =
      mostMs === undefined || !isPooled
        ? "BEGIN"
        : `BEGIN; SET LOCAL statement_timeout = ${mostMs}; SET LOCAL idle_in_transaction_session_timeout = ${mostMs}`
    return { turns: new Turns(connections), begin, all: () => held.sql, reserve, run }
  })
