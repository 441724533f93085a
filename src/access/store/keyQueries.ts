import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Redacted } from "effect"
import type { AccountPattern } from "../../contract/callers/Acting.ts"
import { ofAccounts } from "../../sql/ofAccounts.ts"
import * as ApiKey from "../ApiKey.ts"
import { keyRows } from "./KeyRow.ts"
import type { KeyRow } from "./KeyRow.ts"
import { openings } from "./openings.ts"

export interface KeyPage {
  readonly account?: string | undefined
  readonly person?: string | undefined
  /** Includes revoked and expired keys, which never work again. */
  readonly all: boolean
  /** Only these, also without `all`. */
  readonly status?: KeyStatus | undefined
  /** A part of its id, its name or its account, in small or capital letters. */
  readonly search?: string | undefined
  readonly offset: number
  readonly limit: number
}

/** `suspended`: refused for as long as its person is held or its account suspended. */
export type KeyStatus = "active" | "suspended" | "expired" | "revoked"

/** Keys by what one has of a secret. */
export interface FoundKeys {
  /** True if it is the whole secret of the only row; otherwise rows have a hint in common with it. */
  readonly isWhole: boolean
  readonly rows: ReadonlyArray<KeyRow>
}

/** Keys as their administration sees them, by id, by what they are, by a secret. */
export const keyQueries = (sql: SqlClient.SqlClient) => {
  const { joined } = openings(sql)
  /** Keys, with what suspends them. */
  const all = sql`SELECT * FROM (SELECT k.*, p.held AS person_held, COALESCE(a.deleted_at, a.suspended_at) AS suspended_at
      FROM keys k ${joined}) AS keys`

  const find = (id: string): Effect.Effect<KeyRow | undefined, SqlError> =>
    Effect.map(sql`${all} WHERE id = ${id}`, keyRows.first)

  /** Oldest first. */
  const list = (
    { account, all: hasOver, limit, offset, person, search, status }: KeyPage,
    nowMs: number
  ): Effect.Effect<ReadonlyArray<KeyRow>, SqlError> =>
    Effect.map(
      sql`${all} WHERE ${sql.and([
        sql`1 = 1`,
        ...(account === undefined ? [] : [sql`account_id = ${account}`]),
        ...(person === undefined ? [] : [sql`person_id = ${person}`]),
        ...(search === undefined ? [] : [containing(search)]),
        ...(status === undefined ? (hasOver ? [] : usable(nowMs)) : statusIs[status](nowMs))
      ])} ORDER BY created_at, id LIMIT ${limit} OFFSET ${offset}`,
      keyRows.all
    )

  const usable = (nowMs: number) => [sql`revoked_at IS NULL`, sql`(expires_at IS NULL OR expires_at > ${nowMs})`]
  const statusIs = {
    active: (nowMs: number) => [...usable(nowMs), sql`person_held IS NULL`, sql`suspended_at IS NULL`],
    suspended: (nowMs: number) => [
      ...usable(nowMs),
      sql.or([sql`person_held IS NOT NULL`, sql`suspended_at IS NOT NULL`])
    ],
    expired: (nowMs: number) => [sql`revoked_at IS NULL`, sql`expires_at <= ${nowMs}`],
    revoked: () => [sql`revoked_at IS NOT NULL`]
  }

  const containing = (text: string) => {
    const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`
    return sql.or(["id", "name", "account_id"].map((name) => sql`LOWER(${sql(name)}) LIKE ${pattern} ESCAPE '\\'`))
  }

  /**
   * Keys by what one has of a secret, with the oldest first: the one whose whole secret it is, otherwise those whose
   * hint is in it, a hundred at most.
   *
   * @param among only keys of these accounts; absent: all
   */
  const ofSecret = Effect.fnUntraced(function* (
    part: Redacted.Redacted,
    among?: ReadonlyArray<AccountPattern>
  ): Effect.fn.Return<FoundKeys, SqlError> {
    const text = Redacted.value(part)
    const hash = ApiKey.hash(text)
    const nowMs = yield* Clock.currentTimeMillis
    const reached = among === undefined ? [] : [ofAccounts(sql, "account_id", among)]
    const isSecret = sql`(hash = ${hash} OR (old_hash = ${hash} AND old_until > ${nowMs}))`
    const whole = keyRows.all(yield* sql`${all} WHERE ${sql.and([isSecret, ...reached])}`)
    const hints = ApiKey.hintsOf(text)
    if (whole.length > 0 || hints.length === 0) return { isWhole: whole.length > 0, rows: whole }
    const isOne = hints.map(({ form, text }) => sql`hint = ${text} AND hint_form = ${form}`)
    const found = yield* sql`${all} WHERE ${sql.and([sql.or(isOne), ...reached])} ORDER BY created_at, id LIMIT 100`
    return { isWhole: false, rows: keyRows.all(found) }
  })

  return { find, list, ofSecret } as const
}
