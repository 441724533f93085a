import { Args, Command, Options } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import type { AccountOptions } from "../admin/AccountAdministration.ts"
import { nanoUsdOf, Usd } from "../admin/fields.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { BudgetRecord } from "../ledger/BudgetRecord.ts"
import { deletedShown, grantsShown, showAccount } from "./accountShown.ts"
import { accountTable } from "./accountTable.ts"
import { administer } from "./administer.ts"
import { budgetOptions, budgetsOf, resetAccountBudgets } from "./budgets.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import {
  help,
  json,
  limitOption,
  limits,
  limitsOf,
  listOf,
  modelsOption,
  print,
  unpricedOption,
  unpricedOf,
  usdOption,
  warnOfUnmatched,
  wide
} from "./options.ts"
import { settingFlags, settingsGiven } from "./settingFlags.ts"
import { accountMembers } from "./members.ts"
import { moneyText } from "./moneyText.ts"
import { Operator } from "./operator/Operator.ts"

const id = Args.text({ name: "account" }).pipe(Args.withDescription("The account's id."))

const domains = (name: string, description: string) =>
  Options.text(name).pipe(Options.withPseudoName("DOMAIN"), Options.withDescription(description), Options.repeated)

const settings = {
  models: modelsOption("model", "The only models that its keys may use, or patterns such as claude-*; any lifts it"),
  notModels: modelsOption("not-model", "Models or patterns that none of its keys may use; none removes all"),
  searchAllow: domains("search-allow", "Web searches find these domains alone; separate with commas; any lifts it."),
  searchBlock: domains("search-block", "Web searches never find these domains; none lifts it."),
  ...budgetOptions,
  webhookUrl: Options.text("webhook-url").pipe(
    Options.withPseudoName("URL"),
    Options.withDescription("The address that gets video.completed and video.failed; none removes it."),
    Options.optional
  ),
  unpriced: unpricedOption("the configuration"),
  ...settingFlags,
  ...limits
}

type AccountFlags = Command.Command.ParseConfig<typeof settings>

const optionsOf = <E, R>(given: AccountFlags, current: Effect.Effect<ReadonlyArray<BudgetRecord>, E, R>) =>
  Effect.map(budgetsOf(given, current), (budgets): AccountOptions => ({
    ...settingsOf(given),
    ...(budgets === undefined ? {} : { budgets })
  }))

const settingsOf = (given: AccountFlags): AccountOptions => {
  const allowed = listOf(given.searchAllow)
  const blocked = listOf(given.searchBlock)
  const [models, notModels] = [listOf(given.models), listOf(given.notModels)]
  return {
    ...settingsGiven(given),
    limits: limitsOf(given),
    ...unpricedOf(given.unpriced),
    ...(Option.isNone(given.webhookUrl)
      ? {}
      : { webhookUrl: given.webhookUrl.value === "none" ? null : given.webhookUrl.value }),
    ...(models.length === 0 ? {} : { models: models.includes("any") ? null : models }),
    ...(notModels.length === 0 ? {} : { notModels: notModels.includes("none") ? null : notModels }),
    ...(allowed.length === 0 ? {} : { searchAllowed: allowed.includes("any") ? null : allowed }),
    ...(blocked.length === 0 ? {} : { searchBlocked: blocked.includes("none") ? null : blocked })
  }
}

const create = Command.make(
  "create",
  {
    id,
    balance: usdOption("balance", "Dollars to begin with; without it the account is unmetered."),
    ...settings,
    json
  },
  ({ balance, id, json, ...given }) =>
    administer(
      Effect.gen(function* () {
        const { accounts } = yield* Operator
        const made = yield* accounts.create(id, {
          ...(yield* optionsOf(given, Effect.succeed([]))),
          nanoUsd: Option.getOrUndefined(balance)
        })
        yield* warnOfUnmatched(id, made)
        yield* print(
          json,
          made,
          () => `Made the account ${id}.${made.metered ? "" : ` ${unmetered(id)}`}\n\n${showAccount(made)}`
        )
      }),
      { mayCreate: true }
    )
).pipe(
  Command.withDescription(
    help(
      "Make an account. It owns keys, tasks, responses and a balance.",
      "gateway accounts create team-a --balance 50",
      "gateway accounts create team-b --requests-per-minute 600 --search-block example.com"
    )
  )
)

const list = Command.make("list", { limit: limitOption(1_000), wide, json }, ({ json, limit, wide }) =>
  administer(
    Effect.gen(function* () {
      const { accounts } = yield* Operator
      const records = yield* accounts.list(limit)
      yield* print(json, records, () => accountTable(records, wide))
    })
  )
).pipe(Command.withDescription(help("List the accounts.", "gateway accounts list --json")))

const show = Command.make("show", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { accounts } = yield* Operator
      const account = yield* accounts.show(id)
      const grants = yield* accounts.grantsOf(id, 10)
      yield* print(json, { ...account, grants }, () => showAccount(account) + grantsShown(grants))
    })
  )
).pipe(
  Command.withDescription(help("Show an account, its balance and its last grants.", "gateway accounts show team-a"))
)

const credit = Command.make(
  "credit",
  {
    id,
    amount: Args.text({ name: "usd" }).pipe(
      Args.withDescription("Dollars, nine decimals at most; a negative amount is taken.")
    ),
    note: Options.text("note").pipe(Options.withDescription("The purpose."), Options.withDefault("")),
    json
  },
  ({ amount, id, json, note }) =>
    administer(
      Effect.gen(function* () {
        const { accounts } = yield* Operator
        if (!Schema.is(Usd)(amount) || nanoUsdOf(amount) === 0) {
          return yield* new InvalidRequest({
            param: "usd",
            message: `usd: expected an amount in dollars, not 0, with at most nine decimals, such as 5 or 12.50; got "${amount}"`
          })
        }
        const account = yield* accounts.credit(id, nanoUsdOf(amount), note)
        const available = account.available === null ? "unmetered" : `${moneyText(account.available)} are available`
        yield* print(json, account, () =>
          amount.startsWith("-")
            ? `Took $${amount.slice(1)} from ${id}: ${available}.`
            : `Gave $${amount} to ${id}: ${available}.`
        )
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Credit an account. The first credit makes it metered: it can spend no more than its balance.",
      'gateway accounts credit team-a 25 --note "invoice 17"',
      "gateway accounts credit team-a -5"
    )
  )
)

const set = Command.make(
  "set",
  {
    id,
    unmetered: Options.boolean("unmetered").pipe(Options.withDescription("Remove the balance: spending is unlimited.")),
    ...settings,
    json
  },
  ({ id, json, unmetered, ...given }) =>
    administer(
      Effect.gen(function* () {
        const { accounts } = yield* Operator
        const budgets = Effect.map(accounts.show(id), ({ budgets }) => budgets)
        const account = yield* accounts.set(id, { ...(yield* optionsOf(given, budgets)), unmetered })
        yield* warnOfUnmatched(id, account)
        yield* print(json, account, () => showAccount(account))
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Change an account's budgets, models and limits. Settings that are not named stay.",
      "gateway accounts set team-a --budget 500 --requests-per-day 10000",
      "gateway accounts set team-a --not-model gpt-6.1,*-preview",
      "gateway accounts set team-a --requests-per-minute 60 --concurrent-tasks none",
      "gateway accounts set team-a --search-allow docs.example.com,example.org",
      "gateway accounts set team-a --webhook-url https://example.com/videos",
      "gateway accounts set team-a --unmetered"
    )
  )
)

const suspend = Command.make("suspend", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { accounts } = yield* Operator
      const account = yield* accounts.suspend(id)
      yield* print(
        json,
        account,
        () =>
          `Suspended ${id}: its keys stop working within a second. Running requests and tasks finish.\n` +
          `gateway accounts resume ${id} undoes it.`
      )
    })
  )
).pipe(
  Command.withDescription(
    help("Suspend an account. Its keys do not work until it is resumed.", "gateway accounts suspend team-a")
  )
)

const resume = Command.make("resume", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { accounts } = yield* Operator
      const account = yield* accounts.resume(id)
      yield* print(json, account, () => `${id} is no longer suspended: its keys work again.`)
    })
  )
).pipe(Command.withDescription(help("End an account's suspension.", "gateway accounts resume team-a")))

const remove = Command.make(
  "delete",
  { id, yes: Options.boolean("yes").pipe(Options.withDescription("Confirm; nothing is deleted without it.")), json },
  ({ id, json, yes }) =>
    administer(
      Effect.gen(function* () {
        if (!yes) {
          const message = `--yes: expected, because this can't be undone: it removes what ${id} has stored and revokes its keys`
          return yield* new InvalidRequest({ param: "yes", message })
        }
        const { accounts } = yield* Operator
        const deleted = yield* accounts.delete(id)
        yield* print(json, deleted, () => deletedShown(deleted))
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Delete a suspended account and its stored data. Removes responses, chat completions, conversations, tasks, files, request rows and kept answers; usage and payments stay.",
      "gateway accounts delete team-a --yes"
    )
  )
)

export const accountsCommand: Group = {
  name: "accounts",
  commands: [
    remoteLeaf(create),
    remoteLeaf(list),
    remoteLeaf(show),
    accountMembers,
    remoteLeaf(credit),
    remoteLeaf(set),
    resetAccountBudgets,
    remoteLeaf(suspend),
    remoteLeaf(resume),
    remoteLeaf(remove)
  ]
}

const unmetered = (id: string) =>
  `It is unmetered: spending is unlimited until it is credited (gateway accounts credit ${id} 50).`
