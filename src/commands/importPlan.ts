import { scopeText } from "../contract/text/scopeText.ts"
import { usdText } from "../contract/text/usdText.ts"
import type { Imported } from "../litellm/Importing.ts"
import type { Plan, PlannedBudget, PlannedKey } from "../litellm/Plan.ts"
import { wrap } from "./frame/wrap.ts"
import { oneLine, table, terminalWidth } from "./table.ts"

/** A plan for people, as wide as the terminal, otherwise 80 columns. */
export const planText = (plan: Plan, hasDatabase: boolean): string => {
  const { accounts, keys, models } = plan
  const isOnly = "Nothing is written yet: --write does it, and prints gateway.yaml (--out FILE writes it)."
  return [
    table(
      ["MODEL", "ROUTES"],
      models.map(({ name, routes }) => [name, routes.join(", ")]),
      width()
    ),
    ...(hasDatabase
      ? [
          table(
            ["ACCOUNT", "KEYS", "MODELS", "SPENT OF ITS BUDGETS"],
            accounts.map(({ budgets, id, models, suspended }) => [
              suspended ? `${id} (suspended)` : id,
              String(keys.filter(({ account }) => account === id).length),
              models?.join(", ") ?? "all",
              budgetsText(budgets)
            ]),
            width()
          ),
          table(
            ["KEY", "ACCOUNT", "MODELS", "SPENT OF ITS BUDGETS", "EXPIRES"],
            keys.map((key) => [
              key.name,
              key.account,
              key.models.join(", ").replace(/^\*$/, "all"),
              budgetsText(key.budgets),
              expiry(key)
            ]),
            width()
          )
        ]
      : ["Without --database, no teams, keys and budgets are read."]),
    notesText(plan),
    ...variablesText(plan),
    wrap(isOnly, width()).join("\n")
  ].join("\n\n")
}

/** Settings and rows that don't come along, one by one. */
export const notesText = ({ notes }: Plan): string =>
  notes.length === 0
    ? "Everything comes along."
    : [
        `Not carried, or not as it was (${notes.length}):`,
        ...notes.flatMap(({ at, why }) =>
          wrap(oneLine(`- ${at}: ${why}`), width() - 2).map((part, index) => (index === 0 ? part : `  ${part}`))
        )
      ].join("\n")

/** The number of accounts and keys that were made, and of those that were there. */
export const importedText = ({ accounts, accountsBefore, keys, keysBefore }: Imported): string =>
  [
    `Made ${counted(accounts.length, "account")} and ${counted(keys, "key")}.`,
    ...(accountsBefore.length + keysBefore.length === 0
      ? []
      : wrap(
          `There already, and left as they are: ${[counted(accountsBefore.length, "account"), counted(keysBefore.length, "key")].join(" and ")}.`,
          width()
        ))
  ].join("\n")

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`

const variablesText = ({ secrets }: Plan): ReadonlyArray<string> =>
  secrets.size === 0
    ? []
    : [
        wrap(
          `Secrets that stand in LiteLLM's file or database go to gateway.env, with --out: ${[...secrets.keys()].join(", ")}`,
          width()
        ).join("\n")
      ]

const width = () => terminalWidth() ?? 80

const expiry = ({ blocked, expiresAtMs }: PlannedKey) =>
  blocked ? "blocked" : expiresAtMs === undefined ? "" : new Date(expiresAtMs).toISOString().slice(0, 10)

const budgetsText = (budgets: ReadonlyArray<PlannedBudget>) =>
  budgets
    .map(
      ({ usedNanoUsd, written }) =>
        `${usdText(usedNanoUsd / 1e9)} of ${usdText(Number(written.usd))} ${scopeText(written)}`
    )
    .join("; ")
