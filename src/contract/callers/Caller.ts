import { Schema } from "effect"
import type { Acting, Within } from "./Acting.ts"
import type { Budget } from "../budgets/Budget.ts"
import type { CallerSettings } from "./accountSettings.ts"
import type { CallerKeySettings } from "./keySettings.ts"
import type { SpendingCap } from "./SpendingCap.ts"

/** An account: owns keys, tasks, responses and a balance. */
export const AccountId = Schema.String.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/** A key's public id, never its secret. */
export const KeyId = Schema.String.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/** The most that requests that are not finished may hold, in each process. `bytes` are those of bodies. */
const UnfinishedBounds = Schema.Struct({
  descriptors: Schema.optional(Schema.Int.pipe(Schema.positive())),
  connections: Schema.optional(Schema.Int.pipe(Schema.positive())),
  bytes: Schema.optional(Schema.Int.pipe(Schema.positive()))
})
export type UnfinishedBounds = typeof UnfinishedBounds.Type

/** Limits on use; absent means none. Tokens are input and output together. */
export const Limits = Schema.Struct({
  requestsPerMinute: Schema.optional(Schema.Int.pipe(Schema.positive())),
  tokensPerMinute: Schema.optional(Schema.Int.pipe(Schema.positive())),
  concurrentRequests: Schema.optional(Schema.Int.pipe(Schema.positive())),
  concurrentTasks: Schema.optional(Schema.Int.pipe(Schema.positive())),
  /** Of a key alone; absent: a share of what all may hold. */
  unfinished: Schema.optional(UnfinishedBounds)
})
export type Limits = typeof Limits.Type

/** Web pages that searches of an account may use: `undefined` means any. Domains as in a search tool. */
export interface SearchDomains {
  readonly allowed: ReadonlyArray<string> | undefined
  readonly blocked: ReadonlyArray<string> | undefined
}

/** Allows models without a price where money is counted: for a key with a budget, in an account with a balance. */
export const Unpriced = Schema.Literal("allow", "refuse")
export type Unpriced = typeof Unpriced.Type

/** Which of a key's two secrets, while the old one still works. */
export const KeySecret = Schema.Literal("old", "new")
export type KeySecret = typeof KeySecret.Type

/** Patterns of models (`claude-*`): those of `models` may be used, except those of `notModels`. */
export const ModelRule = Schema.Struct({
  models: Schema.Array(Schema.String),
  notModels: Schema.optional(Schema.Array(Schema.String))
})
export type ModelRule = typeof ModelRule.Type

/** The records that a key opens: its account's; a person's key, only those of their keys. */
export type Holder = Pick<Caller, "account" | "person">

/** True if a holder reaches what was done with a key of its account. */
export const reachesKey = ({ person }: Pick<Holder, "person">, key: string): boolean =>
  person === undefined || person.keys.includes(key)

/** The caller of a request: the account, the key, and the permissions of both. */
export interface Caller extends CallerSettings, CallerKeySettings {
  readonly account: AccountId
  readonly key: KeyId
  /** Patterns of the models the key may use (`claude-*`). */
  readonly models: ReadonlyArray<string>
  /** Patterns of the models the key may not use, even if `models` matches them. */
  readonly notModels?: ReadonlyArray<string> | undefined
  /** The account's rule, which applies too; absent if it has none. */
  readonly accountModels?: ModelRule | undefined
  /** Names of the upstreams that may serve the key; absent for all. */
  readonly upstreams?: ReadonlyArray<string> | undefined
  readonly keyLimits: Limits
  readonly accountLimits: Limits
  /** Absent if the key has none. */
  readonly keyBudgets?: ReadonlyArray<Budget> | undefined
  /** Absent if the account has none. */
  readonly accountBudgets?: ReadonlyArray<Budget> | undefined
  /** The key's rule for models without a price, otherwise its account's; absent if neither has one. */
  readonly unpriced?: Unpriced | undefined
  readonly searchDomains: SearchDomains
  /** The owner of a person's key. It opens only what was done with their keys of the account, by id. */
  readonly person?: { readonly id: string; readonly keys: ReadonlyArray<string> } | undefined
  /**
   * The token that stands for the key: of a person's sign-in (`/login`), whose refusals have the form that agents act on,
   * or of an issuer. Absent for a key's secret.
   */
  readonly openedBy?: "sign-in" | "issuer" | undefined
  /** Which secret of its key was used, while a rotation leaves it two. */
  readonly keySecret?: KeySecret | undefined
  /** The budget with the least left, of such a token. */
  readonly spending?: SpendingCap | undefined
  /** The caller of the operator's API; absent for API keys. */
  readonly acting?: Acting | undefined
  /** The records that the operation reads and changes; absent: all. */
  readonly within?: Within | undefined
}

export const Caller = {
  /** A caller that may use every model, without limits or budget. */
  unrestricted: (account: string, key = account): Caller => ({
    account: AccountId.make(account),
    key: KeyId.make(key),
    models: ["*"],
    keyLimits: {},
    accountLimits: {},
    searchDomains: { allowed: undefined, blocked: undefined }
  })
}
