import { Clock, Effect, Either, Schema } from "effect"
import { Accounts } from "../access/store/Accounts.ts"
import type { AccountRow, AccountSettings } from "../access/store/Accounts.ts"
import type { AccountPattern, Actor } from "../contract/callers/Acting.ts"
import { changedSettings, noSettings } from "../contract/callers/accountSettings.ts"
import type { SettingChanges } from "../contract/callers/accountSettings.ts"
import { AccountId } from "../contract/callers/Caller.ts"
import type { Unpriced } from "../contract/callers/Caller.ts"
import { Budgets } from "../access/store/Budgets.ts"
import { budgetFrom } from "../contract/budgets/WrittenBudget.ts"
import type { WrittenBudget } from "../contract/budgets/WrittenBudget.ts"
import { Conflict, InvalidRequest, NotFound } from "../contract/failures/Failure.ts"
import { parseCallerUrl } from "../guard/callerUrl.ts"
import { Grants } from "../ledger/store/Grants.ts"
import { money } from "../ledger/Money.ts"
import { Changes } from "../sql/Changes.ts"
import { accountRecord } from "./AccountRecord.ts"
import type { AccountRecord, GrantRecord } from "./AccountRecord.ts"
import { Audit } from "./store/Audit.ts"
import { makeChange } from "./change.ts"
import { AccountName, isoTime, patchedLimits } from "./fields.ts"
import type { LimitsPatch } from "./fields.ts"
import { checkModels } from "./modelRules.ts"
import { unlessStale } from "./version.ts"
import { shorten } from "../contract/text/shorten.ts"

export interface AccountOptions extends SettingChanges {
  readonly limits?: LimitsPatch | undefined
  /** null: any. */
  readonly models?: ReadonlyArray<string> | null | undefined
  /** null: none. */
  readonly notModels?: ReadonlyArray<string> | null | undefined
  /** null: the configuration's setting. */
  readonly unpriced?: Unpriced | null | undefined
  /** All of its budgets; null: none. */
  readonly budgets?: ReadonlyArray<WrittenBudget> | null | undefined
  /** null: any. */
  readonly searchAllowed?: ReadonlyArray<string> | null | undefined
  /** null: none. */
  readonly searchBlocked?: ReadonlyArray<string> | null | undefined
  /** null: none. */
  readonly webhookUrl?: string | null | undefined
  /** The `version` the change is based on; undefined accepts any. */
  readonly version?: number | undefined
}

/** The operator's view of accounts. */
export class AccountAdministration extends Effect.Service<AccountAdministration>()(
  "gateway/admin/AccountAdministration",
  {
    dependencies: [Accounts.Default, Budgets.Default, Grants.Default, Audit.Default, Changes.Default],
    effect: Effect.gen(function* () {
      const accounts = yield* Accounts
      const grants = yield* Grants
      const budgets = yield* Budgets
      const change = yield* makeChange

      const rowOf = (id: string) =>
        Effect.flatMap(Effect.orDie(accounts.find(id)), (row) =>
          row === undefined
            ? Effect.fail(new NotFound({ param: null, message: `no account "${id}"` }))
            : Effect.succeed(row)
        )

      const recordOf = (row: AccountRow): Effect.Effect<AccountRecord> =>
        Effect.orDie(Effect.map(budgets.ofAccounts([row]), ([standings = []]) => accountRecord(row, standings)))

      const show = (id: string): Effect.Effect<AccountRecord, NotFound> => Effect.flatMap(rowOf(id), recordOf)

      /** Sorted by id. Callers ask for one row more than a page to detect the next one. */
      const list = (page: {
        readonly offset: number
        readonly limit: number
        readonly among?: ReadonlyArray<AccountPattern> | undefined
      }): Effect.Effect<ReadonlyArray<AccountRecord>> =>
        Effect.gen(function* () {
          const rows = yield* accounts.list(page)
          const standings = yield* budgets.ofAccounts(rows)
          return rows.map((row, index) => accountRecord(row, standings[index] ?? []))
        }).pipe(Effect.orDie)

      /** Creates an account; without `nanoUsd` it is unmetered until it is credited. */
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
            const nowMs = yield* Clock.currentTimeMillis
            if (yield* accounts.isTaken(id)) {
              const message = (yield* accounts.isThere(id))
                ? `there is an account "${id}" already`
                : `account "${id}" was deleted and its usage is kept; choose another id`
              return yield* new Conflict({ code: null, message })
            }
            yield* accounts.insert(id, changed(blank, options), nowMs)
            if (options.nanoUsd !== undefined) {
              yield* grants.credit(AccountId.make(id), options.nanoUsd, "when it was created")
            }
          }),
          after: () => show(id),
          target: () => id
        }).pipe(Effect.map(({ after }) => after))

      /** Changes the given settings; `unmetered` removes the balance, so spending is unlimited. */
      const set = (
        actor: Actor,
        id: string,
        options: AccountOptions & { readonly unmetered?: boolean | undefined }
      ): Effect.Effect<AccountRecord, NotFound | Conflict | InvalidRequest> =>
        change({
          actor,
          action: "account.update",
          before: show(id),
          write: Effect.gen(function* () {
            yield* check(options)
            const row = yield* rowOf(id)
            const record = yield* recordOf(row)
            yield* unlessStale(options.version, record)
            yield* unlessDeclared(record, options)
            yield* accounts.update(id, changed(row, options))
            if (options.unmetered === true) yield* grants.end(AccountId.make(id))
          }),
          after: () => show(id),
          target: () => id
        }).pipe(Effect.map(({ after }) => after))

      /** Adds to the balance (a negative amount is taken). The first credit makes the account metered. */
      const credit = (actor: Actor, id: string, nanoUsd: number, note: string) =>
        nanoUsd === 0
          ? Effect.fail(new InvalidRequest({ param: "usd", message: "usd: expected an amount other than 0" }))
          : change({
              actor,
              action: "account.credit",
              before: Effect.map(show(id), (account) => ({ account })),
              write: grants.credit(AccountId.make(id), nanoUsd, note),
              after: () => Effect.map(show(id), (account) => ({ account, credited: money(nanoUsd), note })),
              target: () => id
            }).pipe(Effect.map(({ after }) => after.account))

      /** Forgets what its budgets have counted. */
      const resetBudgets = (actor: Actor, id: string): Effect.Effect<AccountRecord, NotFound> =>
        change({
          actor,
          action: "account.reset_budgets",
          before: show(id),
          write: Effect.flatMap(rowOf(id), budgets.resetAccount),
          after: () => show(id),
          target: () => id
        }).pipe(Effect.map(({ after }) => after))

      /** Grants, newest first. */
      const grantsOf = (id: string, limit: number): Effect.Effect<ReadonlyArray<GrantRecord>, NotFound> =>
        Effect.zipRight(
          rowOf(id),
          Effect.map(Effect.orDie(grants.list(id, limit)), (rows) =>
            rows.map(({ at, nano_usd, note }) => ({ time: isoTime(at), amount: money(nano_usd), note }))
          )
        )

      return { show, list, create, set, credit, resetBudgets, grantsOf } as const
    })
  }
) {}

const blank = {
  limits: {},
  models: null,
  not_models: null,
  unpriced: null,
  budgets: [],
  ...noSettings,
  search_allowed: null,
  search_blocked: null,
  webhook_url: null
}

const changed = (
  row: Pick<AccountRow, keyof typeof blank>,
  { budgets, limits, models, notModels, searchAllowed, searchBlocked, unpriced, webhookUrl, ...changes }: AccountOptions
): AccountSettings => ({
  unpriced: unpriced === undefined ? row.unpriced : unpriced,
  budgets: budgets === undefined ? row.budgets : (budgets?.map(budgetFrom) ?? []),
  ...changedSettings(row, changes),
  limits: limits === undefined ? row.limits : patchedLimits(row.limits, limits),
  models: models === undefined ? row.models : models,
  notModels: notModels === undefined ? row.not_models : notModels,
  searchAllowed: searchAllowed === undefined ? row.search_allowed : searchAllowed,
  searchBlocked: searchBlocked === undefined ? row.search_blocked : searchBlocked,
  webhookUrl: webhookUrl === undefined ? row.webhook_url : webhookUrl
})

/** A setting of the configuration file would win over the change. */
const unlessDeclared = ({ declared, id }: AccountRecord, options: AccountOptions) => {
  const given = { ...options, not_models: options.notModels }
  const name = declared.find((name) => given[name] !== undefined)
  return name === undefined
    ? Effect.void
    : new Conflict({
        code: null,
        message: `${name} of the account ${id} stand in the configuration file: change them there`
      })
}

const badName = (id: string) =>
  new InvalidRequest({
    param: "id",
    message: `id: expected a name of letters, digits, dots, dashes and underscores, 64 at most; got "${shorten(id)}"`
  })

/** A domain with an optional path, as search tools accept it. */
const domain = /^[a-z0-9-]+(\.[a-z0-9-]+)+(\/\S*)?$/i

const check = ({
  searchAllowed,
  searchBlocked,
  webhookUrl,
  ...rules
}: AccountOptions): Effect.Effect<void, InvalidRequest> => {
  const url = typeof webhookUrl === "string" ? parseCallerUrl(webhookUrl) : undefined
  if (url !== undefined && Either.isLeft(url)) {
    return Effect.fail(new InvalidRequest({ param: "webhook_url", message: `webhook_url: ${url.left}` }))
  }
  for (const [param, domains] of [
    ["search_allowed", searchAllowed],
    ["search_blocked", searchBlocked]
  ] as const) {
    const wrong = domains?.find((one) => !domain.test(one))
    if (wrong !== undefined) {
      const message = `${param}: expected domains without a scheme, such as example.com or example.com/docs; got "${shorten(wrong)}"`
      return Effect.fail(new InvalidRequest({ param, message }))
    }
    if (domains?.length === 0) {
      return Effect.fail(new InvalidRequest({ param, message: `${param}: expected at least one domain` }))
    }
  }
  return checkModels(rules)
}
