import { SqlClient } from "@effect/sql"
import { Clock, Effect, Schema } from "effect"
import { AccountId } from "../contract/Caller.ts"
import { Conflict, InvalidRequest, NotFound } from "../contract/Failure.ts"
import { Grants } from "../ledger/Grants.ts"
import { money } from "../ledger/Money.ts"
import { Changes } from "../sql/Changes.ts"
import { accountRecord } from "./AccountRecord.ts"
import type { AccountRecord, AccountRow, GrantRecord } from "./AccountRecord.ts"
import { Audit } from "./Audit.ts"
import type { Actor } from "./Audit.ts"
import { makeChange } from "./change.ts"
import { AccountName, isoTime, patchedLimits } from "./fields.ts"
import type { LimitsPatch } from "./fields.ts"
import { parseLimits } from "./KeyRecord.ts"

export interface AccountOptions {
  readonly limits?: LimitsPatch | undefined
  /** null: any. */
  readonly searchAllowed?: ReadonlyArray<string> | null | undefined
  /** null: none. */
  readonly searchBlocked?: ReadonlyArray<string> | null | undefined
}

/** Accounts, for those who run the gateway. */
export class AccountAdministration extends Effect.Service<AccountAdministration>()(
  "gateway/admin/AccountAdministration",
  {
    dependencies: [Grants.Default, Audit.Default, Changes.Default],
    effect: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const grants = yield* Grants
      const change = yield* makeChange

      const select = sql`SELECT a.*,
        (SELECT COALESCE(SUM(nano_usd), 0) FROM holds WHERE account_id = a.id) AS held,
        (SELECT COUNT(*) FROM keys WHERE account_id = a.id AND revoked_at IS NULL) AS keys FROM accounts a`

      const rowOf = (id: string) =>
        sql<AccountRow>`${select} WHERE a.id = ${id}`.pipe(
          Effect.orDie,
          Effect.flatMap(([row]) =>
            row === undefined
              ? Effect.fail(new NotFound({ param: null, message: `no account "${id}"` }))
              : Effect.succeed(row)
          )
        )

      const show = (id: string): Effect.Effect<AccountRecord, NotFound> => Effect.map(rowOf(id), accountRecord)

      /** By id. One more than the limit tells of a next page. */
      const list = (page: {
        readonly offset: number
        readonly limit: number
      }): Effect.Effect<ReadonlyArray<AccountRecord>> =>
        sql<AccountRow>`${select} ORDER BY a.id LIMIT ${page.limit} OFFSET ${page.offset}`.pipe(
          Effect.map((rows) => rows.map(accountRecord)),
          Effect.orDie
        )

      /** Makes an account that is unmetered until it is credited. */
      const create = (
        actor: Actor,
        id: string,
        options: AccountOptions & { readonly nanoUsd?: number | undefined }
      ): Effect.Effect<AccountRecord, NotFound | Conflict | InvalidRequest> =>
        change({
          actor,
          action: "account.create",
          before: Effect.succeed(null),
          write: Effect.gen(function* () {
            if (!Schema.is(AccountName)(id)) return yield* badName(id)
            yield* check(options)
            const created_at = yield* Clock.currentTimeMillis
            const [taken] = yield* sql`SELECT 1 FROM accounts WHERE id = ${id}`
            if (taken !== undefined) {
              return yield* new Conflict({ code: null, message: `there is an account "${id}" already` })
            }
            yield* sql`INSERT INTO accounts ${sql.insert({ id, created_at, ...columnsOf(blank, options) })}`
            if (options.nanoUsd !== undefined) {
              yield* grants.credit(AccountId.make(id), options.nanoUsd, "when it was created")
            }
          }),
          after: () => show(id),
          target: () => id
        }).pipe(Effect.map(({ after }) => after))

      /** Changes what is given; `unmetered` takes the balance away, so that the account may spend without end. */
      const set = (
        actor: Actor,
        id: string,
        options: AccountOptions & { readonly unmetered?: boolean | undefined }
      ): Effect.Effect<AccountRecord, NotFound | InvalidRequest> =>
        change({
          actor,
          action: "account.update",
          before: show(id),
          write: Effect.gen(function* () {
            yield* check(options)
            const row = yield* rowOf(id)
            yield* sql`UPDATE accounts SET ${sql.update(columnsOf(row, options))} WHERE id = ${id}`
            if (options.unmetered === true) yield* endBalance(row)
          }),
          after: () => show(id),
          target: () => id
        }).pipe(Effect.map(({ after }) => after))

      /** Grants are only ever added to: those of an account without a balance sum to nothing. */
      const endBalance = ({ granted_nano_usd: granted, id }: AccountRow) =>
        granted === null
          ? Effect.void
          : Effect.gen(function* () {
              const at = yield* Clock.currentTimeMillis
              const grant = { at, account_id: id, nano_usd: -granted, note: "unmetered from now on" }
              yield* sql`INSERT INTO grants ${sql.insert(grant)}`
              yield* sql`UPDATE accounts SET granted_nano_usd = NULL WHERE id = ${id}`
            })

      /** Adds to the balance (negative: takes from it); the first time makes the account metered. */
      const credit = (actor: Actor, id: string, nanoUsd: number, note: string) =>
        change({
          actor,
          action: "account.credit",
          before: Effect.map(show(id), (account) => ({ account })),
          write: grants.credit(AccountId.make(id), nanoUsd, note),
          after: () => Effect.map(show(id), (account) => ({ account, credited: money(nanoUsd), note })),
          target: () => id
        }).pipe(Effect.map(({ after }) => after.account))

      /** What it was given, newest first. */
      const grantsOf = (id: string, limit: number): Effect.Effect<ReadonlyArray<GrantRecord>, NotFound> =>
        Effect.zipRight(
          rowOf(id),
          sql<{ at: number; nano_usd: number; note: string }>`SELECT at, nano_usd, note FROM grants
            WHERE account_id = ${id} ORDER BY id DESC LIMIT ${limit}`.pipe(
            Effect.map((rows) =>
              rows.map(({ at, nano_usd, note }) => ({ time: isoTime(at), amount: money(nano_usd), note }))
            ),
            Effect.orDie
          )
        )

      return { show, list, create, set, credit, grantsOf } as const
    })
  }
) {}

const blank = { limits: "{}", search_allowed: null, search_blocked: null }

const columnsOf = (
  row: Pick<AccountRow, keyof typeof blank>,
  { limits, searchAllowed, searchBlocked }: AccountOptions
) => ({
  limits: limits === undefined ? row.limits : JSON.stringify(patchedLimits(parseLimits(row.limits), limits)),
  search_allowed: searchAllowed === undefined ? row.search_allowed : jsonOrNull(searchAllowed),
  search_blocked: searchBlocked === undefined ? row.search_blocked : jsonOrNull(searchBlocked)
})

const jsonOrNull = (value: ReadonlyArray<string> | null) => (value === null ? null : JSON.stringify(value))

const badName = (id: string) =>
  new InvalidRequest({
    param: "id",
    message: `id: expected a name of letters, digits, dots, dashes and underscores, 64 at most; got "${id}"`
  })

/** A domain, perhaps with a path: what search tools take. */
const domain = /^[a-z0-9-]+(\.[a-z0-9-]+)+(\/\S*)?$/i

const check = ({ searchAllowed, searchBlocked }: AccountOptions) => {
  for (const [param, domains] of [
    ["search_allowed", searchAllowed],
    ["search_blocked", searchBlocked]
  ] as const) {
    const wrong = domains?.find((one) => !domain.test(one))
    if (wrong !== undefined) {
      const message = `${param}: expected domains without a scheme, such as example.com or example.com/docs; got "${wrong}"`
      return Effect.fail(new InvalidRequest({ param, message }))
    }
    if (domains?.length === 0) {
      return Effect.fail(new InvalidRequest({ param, message: `${param}: expected at least one domain` }))
    }
  }
  return Effect.void
}
