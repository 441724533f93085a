import { Args, Command, Options } from "@effect/cli"
import { Clock, Effect, Option, Redacted } from "effect"
import type { KeyOptions, KeyWithSecret } from "../admin/KeyAdministration.ts"
import type { KeyRecord } from "../admin/KeyRecord.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import { readTime } from "../contract/timeQuery.ts"
import { administering } from "./administering.ts"
import { budgetLines, budgetsOf, budgetsOption, resetKeyBudgets } from "./budgets.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import {
  account,
  help,
  json,
  limitOption,
  limits,
  limitsOf,
  limitsShown,
  listed,
  optionalText,
  print,
  shortTime,
  unpriced,
  unpricedOf,
  usdOption,
  wide
} from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { keyNamed } from "./keyNamed.ts"
import { fields, listTable } from "./table.ts"

const id = Args.text({ name: "id" }).pipe(Args.withDescription("The key's id (key_…), or its name."))

const settings = {
  models: Options.text("model").pipe(
    Options.withPseudoName("MODEL"),
    Options.withDescription("A model it may use, or a pattern such as claude-*; repeat it or separate with commas."),
    Options.repeated
  ),
  notModels: Options.text("not-model").pipe(
    Options.withPseudoName("MODEL"),
    Options.withDescription("A model or pattern it may not use; repeat it or separate with commas; none removes all."),
    Options.repeated
  ),
  upstreams: Options.text("upstream").pipe(
    Options.withPseudoName("UPSTREAM"),
    Options.withDescription("An upstream that may serve it; repeat it or separate with commas; all removes the bound."),
    Options.repeated
  ),
  choosesRoute: Options.choice("choose-route", ["yes", "no"]).pipe(
    Options.withDescription("Whether its requests may choose their route with x-gateway-route (no)."),
    Options.optional
  ),
  budget: usdOption("budget", "The most it can spend, in dollars, in each --budget-period."),
  budgetPeriod: Options.choice("budget-period", ["day", "month"]).pipe(
    Options.withDescription("The UTC day or month of --budget (month)."),
    Options.withDefault("month")
  ),
  budgets: budgetsOption,
  unpriced: unpriced("its account"),
  expires: optionalText("expires", "When it expires: 30d, 12h, a day (2026-01-31) or a time."),
  ...limits
}

type KeyFlags = Command.Command.ParseConfig<typeof settings>

const optionsOf = (given: KeyFlags): Effect.Effect<KeyOptions, InvalidRequest> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const [models, notModels, upstreams] = [given.models, given.notModels, given.upstreams].map(listed)
    const expiresAtMs = Option.map(given.expires, (text) => readExpiry(text, nowMs))
    if (Option.isSome(expiresAtMs) && expiresAtMs.value === undefined) {
      return yield* new InvalidRequest({
        param: "expires",
        message: "--expires: expected how long from now (30d, 12h), a day (2026-01-31) or a time (2026-01-31T12:00:00Z)"
      })
    }
    const budgets = yield* budgetsOf(given)
    return {
      ...(isGiven(models) ? { models } : {}),
      ...(isGiven(notModels) ? { notModels: isOnly("none", notModels) ? [] : notModels } : {}),
      ...(isGiven(upstreams) ? { upstreams: isOnly("all", upstreams) ? null : upstreams } : {}),
      ...(Option.isNone(given.choosesRoute) ? {} : { choosesRoute: given.choosesRoute.value === "yes" }),
      limits: limitsOf(given),
      ...unpricedOf(given.unpriced),
      ...(budgets === undefined ? {} : { budgets }),
      ...(Option.isNone(expiresAtMs) ? {} : { expiresAtMs: expiresAtMs.value })
    }
  })

const isGiven = (names: ReadonlyArray<string> | undefined): names is ReadonlyArray<string> =>
  names !== undefined && names.length > 0

const isOnly = (word: string, names: ReadonlyArray<string>) => names.length === 1 && names[0] === word

/** A duration counts from now; a day expires at its end. */
const readExpiry = (text: string, nowMs: number): number | undefined =>
  /^\d+[mhdw]$/.test(text) ? 2 * nowMs - (readTime(text, nowMs) ?? nowMs) : readTime(text, nowMs, true)

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
    administering(
      Effect.gen(function* () {
        const { accounts, keys } = yield* Operator
        const options = yield* optionsOf(given)
        // This command may run before the first start, which creates the default account.
        const isNew = account === "default" && Option.isSome(yield* Effect.option(accounts.create(account, {})))
        const made = yield* keys.create({ ...options, account, name })
        yield* warned(made.key)
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
    limit: limitOption(1_000),
    wide,
    json
  },
  ({ account, all, json, limit, wide }) =>
    administering(
      Effect.gen(function* () {
        const { keys } = yield* Operator
        const records = yield* keys.list({ account: Option.getOrUndefined(account), all, limit })
        yield* print(json, records, () => listTable(header, records.map(row), { rare, wide }))
      })
    )
).pipe(
  Command.withDescription(
    help("List the keys.", "gateway keys list", "gateway keys list --account team-a --all --json")
  )
)

const show = Command.make("show", { id, json }, ({ id, json }) =>
  administering(
    Effect.gen(function* () {
      const { keys } = yield* Operator
      const key = yield* keys.show(yield* keyNamed(id))
      yield* print(json, key, () => shown(key))
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
    administering(
      Effect.gen(function* () {
        const { keys } = yield* Operator
        const key = yield* keys.update(yield* keyNamed(id), {
          ...(yield* optionsOf(given)),
          name: Option.getOrUndefined(name),
          ...(noBudget ? { budgets: null } : {}),
          ...(neverExpires ? { expiresAtMs: null } : {})
        })
        yield* warned(key)
        yield* print(json, key, () => shown(key))
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
  administering(
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

const rotateSecret = Command.make("rotate-secret", { id, json }, ({ id, json }) =>
  administering(
    Effect.gen(function* () {
      const { keys } = yield* Operator
      const made = yield* keys.rotateSecret(yield* keyNamed(id))
      yield* printSecret(
        json,
        made,
        `${made.key.id} "${made.key.name}" has a new secret; the former one stops working. The new secret, shown this once:`
      )
    })
  )
).pipe(
  Command.withDescription(
    help(
      "Replace a key's secret. To use both for a while, make a second key instead.",
      "gateway keys rotate-secret key_4f…"
    )
  )
)

export const keysCommand: Group = {
  name: "keys",
  commands: [
    remoteLeaf(create),
    remoteLeaf(list),
    remoteLeaf(show),
    remoteLeaf(update),
    remoteLeaf(revoke),
    remoteLeaf(rotateSecret),
    resetKeyBudgets
  ]
}

/** On standard error, beside the answer. */
const warned = ({ name, unmatched_models = [] }: KeyRecord) =>
  Effect.forEach(
    unmatched_models,
    (pattern) => Effect.logWarning(`"${name}" names "${pattern}", which no model of the gateway matches`),
    { discard: true }
  )

const printSecret = (asJson: boolean, { key, secret }: KeyWithSecret, words: string) =>
  print(asJson, { key, secret: Redacted.value(secret) }, () => `${words}\n\n  ${Redacted.value(secret)}\n`)

const rare = ["SECRET", "MODELS", "LIMITS", "LAST USED", "EXPIRES", "BUDGET"]
const header = ["ID", "ACCOUNT", "NAME", "STATUS", "SECRET", "MODELS", "LIMITS", "BUDGET", "EXPIRES", "LAST USED"]

const row = (key: KeyRecord) => [
  key.id,
  key.account,
  key.name,
  key.status,
  key.hint === "" ? "" : `…${key.hint}……`,
  key.models.join(" "),
  limitsShown(key.limits),
  budgetLines(key.budgets)?.replaceAll("\n", "; ") ?? "",
  shortTime(key.expires_at) || "never",
  shortTime(key.last_used_at)
]

const shown = (key: KeyRecord) =>
  fields({
    id: key.id,
    account: key.account,
    name: key.name,
    status: key.status,
    secret: key.hint === "" ? null : `gw_…${key.hint}……`,
    models: key.models.join(" "),
    "not models": key.not_models.join(" ") || null,
    upstreams: key.upstreams?.join(" ") ?? null,
    "chooses routes": key.choose_route ? "yes" : null,
    limits: limitsShown(key.limits) || null,
    budgets: budgetLines(key.budgets),
    declared: key.declared ? "in the configuration file" : null,
    created: key.created_at,
    expires: key.expires_at,
    "last used": key.last_used_at,
    revoked: key.revoked_at
  })
