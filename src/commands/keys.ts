import { Args, Command, Options } from "@effect/cli"
import { Clock, Effect, Option } from "effect"
import type { KeyOptions } from "../admin/KeyAdministration.ts"
import { InvalidRequest, NotFound } from "../contract/failures/Failure.ts"
import type { BudgetRecord } from "../ledger/BudgetRecord.ts"
import { durationMs, readTime } from "../contract/timeQuery.ts"
import { administer } from "./administer.ts"
import { budgetOptions, budgetsOf, resetKeyBudgets } from "./budgets.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import {
  account,
  help,
  json,
  limitOption,
  limits,
  limitsOf,
  listOf,
  modelsOption,
  optionalText,
  print,
  unpricedOption,
  unpricedOf,
  warnOfUnmatched,
  wide
} from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { keySettingFlags, keySettingsGiven } from "./settingFlags.ts"
import { keyNamed, keysOfSecret } from "./keyNamed.ts"
import { keyShown, keyTable } from "./keyShown.ts"
import { printSecret } from "./printSecret.ts"
import { keyId as id, rotateSecret } from "./rotateSecret.ts"

const settings = {
  models: modelsOption("model", "A model it may use, or a pattern such as claude-*"),
  notModels: modelsOption("not-model", "A model or pattern it may not use; none removes all"),
  upstreams: Options.text("upstream").pipe(
    Options.withPseudoName("UPSTREAM"),
    Options.withDescription("An upstream that may serve it; repeat it or separate with commas; all removes the bound."),
    Options.repeated
  ),
  ...keySettingFlags,
  ...budgetOptions,
  unpriced: unpricedOption("its account"),
  expires: optionalText("expires", "When it expires: 30d, 12h, a day (2026-01-31) or a time."),
  ...limits
}

type KeyFlags = Command.Command.ParseConfig<typeof settings>

const optionsOf = <E, R>(given: KeyFlags, current: Effect.Effect<ReadonlyArray<BudgetRecord>, E, R>) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const [models, notModels, upstreams] = [given.models, given.notModels, given.upstreams].map(listOf)
    const expiresAtMs = Option.map(given.expires, (text) => readExpiry(text, nowMs))
    if (Option.isSome(expiresAtMs) && expiresAtMs.value === undefined) {
      return yield* new InvalidRequest({
        param: "expires",
        message: "--expires: expected how long from now (30d, 12h), a day (2026-01-31) or a time (2026-01-31T12:00:00Z)"
      })
    }
    const budgets = yield* budgetsOf(given, current)
    const options: KeyOptions = {
      ...(isGiven(models) ? { models } : {}),
      ...(isGiven(notModels) ? { notModels: isOnly("none", notModels) ? [] : notModels } : {}),
      ...(isGiven(upstreams) ? { upstreams: isOnly("all", upstreams) ? null : upstreams } : {}),
      ...keySettingsGiven(given),
      limits: limitsOf(given),
      ...unpricedOf(given.unpriced),
      ...(budgets === undefined ? {} : { budgets }),
      ...(Option.isNone(expiresAtMs) ? {} : { expiresAtMs: expiresAtMs.value })
    }
    return options
  })

const isGiven = (names: ReadonlyArray<string> | undefined): names is ReadonlyArray<string> =>
  names !== undefined && names.length > 0

const isOnly = (word: string, names: ReadonlyArray<string>) => names.length === 1 && names[0] === word

/** A duration counts from now; a day expires at its end. */
const readExpiry = (text: string, nowMs: number): number | undefined => {
  const lengthMs = durationMs(text)
  return lengthMs === undefined ? readTime(text, nowMs, true) : nowMs + lengthMs
}

const create = Command.make(
  "create",
  {
    name: Args.text({ name: "name" }).pipe(Args.withDescription("The name.")),
    account: Options.text("account").pipe(
      Options.withPseudoName("ACCOUNT"),
      Options.withDescription("The account that owns it (default)."),
      Options.withDefault("default")
    ),
    ...settings,
    json
  },
  ({ account, json, name, ...given }) =>
    administer(
      Effect.gen(function* () {
        const { accounts, keys } = yield* Operator
        const options = yield* optionsOf(given, Effect.succeed([]))
        // This command may run before the first start, which creates the default account.
        const isNew = account === "default" && Option.isSome(yield* Effect.option(accounts.create(account, {})))
        const made = yield* keys.create({ ...options, account, name })
        yield* warnOfUnmatched(name, made.key)
        yield* printSecret(
          json,
          made,
          `Made ${made.key.id} "${name}" of the account ${account}. ${isNew ? "The account is new and unmetered: spending is unlimited. " : ""}Its secret, shown this once:`
        )
      }),
      { mayCreate: true }
    )
).pipe(
  Command.withDescription(
    help(
      "Make a key and print its secret, once.",
      "gateway keys create laptop",
      'gateway keys create ci --account team-a --model "claude-*" --budget 20 --budget-period month --expires 90d'
    )
  )
)

const list = Command.make(
  "list",
  {
    account,
    all: Options.boolean("all").pipe(Options.withDescription("Also keys that are revoked or expired.")),
    status: Options.choice("status", ["active", "suspended", "expired", "revoked"]).pipe(
      Options.withDescription("Only these."),
      Options.optional
    ),
    search: optionalText("search", "Only those with this in their id, name or account."),
    limit: limitOption(1_000),
    wide,
    json
  },
  ({ account, all, json, limit, search, status, wide }) =>
    administer(
      Effect.gen(function* () {
        const { keys } = yield* Operator
        const records = yield* keys.list({
          account: Option.getOrUndefined(account),
          all,
          status: Option.getOrUndefined(status),
          search: Option.getOrUndefined(search),
          limit
        })
        yield* print(json, records, () => keyTable(records, wide))
      })
    )
).pipe(
  Command.withDescription(
    help("List the keys.", "gateway keys list", "gateway keys list --account team-a --all --json")
  )
)

const find = Command.make(
  "find",
  {
    secret: Args.text({ name: "secret" }).pipe(
      Args.withDescription(
        "The whole secret, its last four characters or more, or a shown hint; - reads standard input."
      )
    ),
    wide,
    json
  },
  ({ json, secret, wide }) =>
    administer(
      Effect.gen(function* () {
        const { isWhole, keys } = yield* keysOfSecret(secret)
        if (keys.length === 0) {
          return yield* new NotFound({
            param: null,
            message:
              "no key has this secret or its last characters; beginnings are not kept, nor secrets before a rotation"
          })
        }
        if (!isWhole) yield* Effect.logInfo("by four characters of the secret; the whole one makes sure")
        yield* print(json, keys, () => keyTable(keys, wide))
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Find the key of a secret that has leaked. The secret is compared, and neither stored nor logged.",
      "gateway keys find - < leaked.txt",
      "gateway keys find …Xa7Q"
    )
  )
)

const show = Command.make("show", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { keys } = yield* Operator
      const key = yield* keys.show(yield* keyNamed(id))
      yield* print(json, key, () => keyShown(key))
    })
  )
).pipe(Command.withDescription(help("Show a key: everything but its secret.", "gateway keys show key_4f…")))

const update = Command.make(
  "update",
  {
    id,
    name: optionalText("name", "The name."),
    noBudget: Options.boolean("no-budget").pipe(Options.withDescription("Remove its budgets.")),
    neverExpires: Options.boolean("never-expires").pipe(Options.withDescription("Remove its expiry.")),
    ...settings,
    json
  },
  ({ id, json, name, neverExpires, noBudget, ...given }) =>
    administer(
      Effect.gen(function* () {
        const { keys } = yield* Operator
        const named = yield* keyNamed(id)
        const budgets = Effect.map(keys.show(named), ({ budgets }) => budgets)
        const key = yield* keys.update(named, {
          ...(yield* optionsOf(given, budgets)),
          name: Option.getOrUndefined(name),
          ...(noBudget ? { budgets: null } : {}),
          ...(neverExpires ? { expiresAtMs: null } : {})
        })
        yield* warnOfUnmatched(key.name, key)
        yield* print(json, key, () => keyShown(key))
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Change a key. Settings that are not named stay.",
      "gateway keys update key_4f… --requests-per-minute 60",
      "gateway keys update key_4f… --no-budget --tokens-per-minute none"
    )
  )
)

const revoke = Command.make("revoke", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { keys } = yield* Operator
      const { key, revoked } = yield* keys.revoke(yield* keyNamed(id))
      yield* print(json, key, () =>
        revoked
          ? `Revoked ${key.id} "${key.name}" of the account ${key.account}: it stops working within a second.`
          : `${key.id} "${key.name}" was revoked already, at ${key.revoked_at}.`
      )
    })
  )
).pipe(Command.withDescription(help("Revoke a key, for good and at once.", "gateway keys revoke key_4f…")))

export const keysCommand: Group = {
  name: "keys",
  commands: [
    remoteLeaf(create),
    remoteLeaf(list),
    remoteLeaf(find),
    remoteLeaf(show),
    remoteLeaf(update),
    remoteLeaf(revoke),
    remoteLeaf(rotateSecret),
    resetKeyBudgets
  ]
}
