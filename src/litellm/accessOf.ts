import type { JsonObject } from "../contract/fields.ts"
import { listAt, numberAt, textAt } from "../contract/json/json.ts"
import { AccountNames } from "./AccountNames.ts"
import type { Clock } from "./budgetOf.ts"
import { objectOf } from "./columns.ts"
import { endUsersOf } from "./endUsersOf.ts"
import { keyOf } from "./keyOf.ts"
import { budgetsOf, limitsOf } from "./limitsOf.ts"
import { modelRule } from "./modelRule.ts"
import type { Note, PlannedAccess, PlannedAccount, PlannedBudget, PlannedKey } from "./Plan.ts"
import type { Rows, Settings } from "./Source.ts"

/** The team of sign-ins at LiteLLM's own page, whose keys end with them. */
const ownPage = "litellm-dashboard"

interface Surroundings {
  readonly clock: Clock
  readonly groups: ReadonlyMap<string, ReadonlyArray<string>>
  readonly settings: Settings
  /** The hash of the master key, which LiteLLM may have among its keys. */
  readonly masterHash: string | undefined
}

/** LiteLLM's teams as accounts, its virtual keys as their keys, with budgets. */
export const accessOf = (
  rows: Rows,
  { clock, groups, masterHash, settings }: Surroundings
): PlannedAccess & { readonly notes: ReadonlyArray<Note> } => {
  const notes: Array<Note> = []
  const note = (at: string, why: string) => void notes.push({ at, why })
  const budgetRows = new Map(rows.budgets.map((row) => [textAt(row, "budget_id"), row]))
  const users = new Map(rows.users.map((row) => [textAt(row, "user_id"), row]))
  const teams = new Map(inOrder(rows.teams, "team_id").map((row) => [textAt(row, "team_id"), row]))
  const names = new AccountNames()
  const accounts = new Map<string, PlannedAccount>()

  const account = (place: string, from: string, row: JsonObject, wanted: string): PlannedAccount => {
    const budget = budgetRows.get(textAt(row, "budget_id"))
    const { budgets, notes: some } = budgetsOf(row, budget, clock)
    for (const why of some) note(from, why)
    const made: PlannedAccount = {
      id: names.of(place, wanted),
      place,
      from,
      models: modelRule(row, groups),
      limits: limitsOf(row, budget),
      budgets,
      suspended: row["blocked"] === true
    }
    accounts.set(place, made)
    return made
  }

  for (const [id = "", row] of teams) {
    if (id === ownPage) continue
    const alias = textAt(row, "team_alias") ?? id
    const made = account(`team ${id}`, `team "${alias}"`, row, alias)
    const aliases = rows.modelAliases.find((one) => one["id"] === row["model_id"] && row["model_id"] !== null)
    if (Object.keys(objectOf(aliases?.["aliases"])).length > 0)
      note(made.from, "its model_aliases: aliases are for all accounts")
    for (const why of metadataNotes(row)) note(made.from, why)
  }

  /** A key's account: its team's, otherwise its user's, otherwise one of its own. */
  const accountOf = (row: JsonObject, name: string): PlannedAccount => {
    const team = textAt(row, "team_id")
    if (team !== undefined) {
      return accounts.get(`team ${team}`) ?? account(`team ${team}`, `team "${team}", which has no row`, {}, team)
    }
    const userId = textAt(row, "user_id")
    const user = userId === undefined || userId === "default_user_id" ? undefined : users.get(userId)
    if (userId === undefined || user === undefined) {
      return account(`key ${textAt(row, "token") ?? ""}`, `key "${name}", which has no team`, {}, name)
    }
    const wanted = textAt(user, "user_alias") ?? textAt(user, "user_email") ?? userId
    return accounts.get(`user ${userId}`) ?? account(`user ${userId}`, `user "${wanted}"`, user, wanted)
  }

  const keys: Array<PlannedKey> = []
  let sessions = 0
  const unlimited = { keys: 0, spent: 0 }
  for (const row of inOrder(rows.keys, "token")) {
    if (textAt(row, "team_id") === ownPage) {
      sessions++
      continue
    }
    const hash = textAt(row, "token") ?? ""
    const name = textAt(row, "key_alias") ?? textAt(row, "key_name") ?? hash.slice(0, 8)
    const at = `key "${name}"`
    if (hash === masterHash) {
      note(at, "is the master key: GATEWAY_ADMIN_KEY, which opens no model")
      continue
    }
    if (!/^[0-9a-f]{64}$/.test(hash)) {
      note(at, "its token is no SHA-256: make a key anew")
      continue
    }
    const owner = accountOf(row, name)
    const { key, notes: some } = keyOf(row, {
      account: owner.id,
      name,
      hash,
      budget: budgetRows.get(textAt(row, "budget_id")),
      clock,
      groups
    })
    for (const why of [...some, ...metadataNotes(row)]) note(at, why)
    const spent = numberAt(row, "spend") ?? 0
    if (key.budgets.length === 0 && spent > 0) {
      unlimited.keys++
      unlimited.spent += spent
    }
    keys.push(key)
  }
  if (unlimited.keys > 0) {
    note(
      "spend",
      `${unlimited.keys} keys without a budget spent $${Number(unlimited.spent.toFixed(9))}: usage begins at $0 here`
    )
  }
  if (sessions > 0) note("LiteLLM's own page", `${sessions} keys of its sign-ins: not imported`)

  const members = memberBudgets(rows, budgetRows, clock, note)
  notes.push(...endUsersOf(rows, settings), ...others(rows, accounts))
  return {
    accounts: [...accounts.values()],
    keys: keys.map((key) => {
      const own = members.get(key.hash)
      return own === undefined ? key : { ...key, budgets: [...key.budgets.slice(0, 19), own] }
    }),
    notes
  }
}

/** The database has rows in no order, and names that are taken depend on it. */
const inOrder = (all: ReadonlyArray<JsonObject>, id: string): ReadonlyArray<JsonObject> =>
  all.toSorted((one, other) => ((textAt(one, id) ?? "") < (textAt(other, id) ?? "") ? -1 : 1))

/** The budgets of members of a team, at the member's only key there, by the key's hash. */
const memberBudgets = (
  rows: Rows,
  budgets: ReadonlyMap<string | undefined, JsonObject>,
  clock: Clock,
  note: (at: string, why: string) => void
): ReadonlyMap<string, PlannedBudget> => {
  const found = new Map<string, PlannedBudget>()
  for (const member of rows.members) {
    const [user, team] = [textAt(member, "user_id"), textAt(member, "team_id")]
    const budget = budgets.get(textAt(member, "budget_id"))
    if (budget === undefined || numberAt(budget, "max_budget") === undefined) continue
    const at = `member "${user ?? ""}" of team "${team ?? ""}"`
    const own = rows.keys.filter((key) => textAt(key, "user_id") === user && textAt(key, "team_id") === team)
    const [only, ...more] = own
    const hash = textAt(only, "token")
    if (hash === undefined || more.length > 0) {
      note(at, `has a budget and ${own.length} keys: budgets are of a key or an account`)
      continue
    }
    const { budgets: planned, notes } = budgetsOf({ spend: member["spend"] }, budget, clock)
    for (const why of notes) note(at, why)
    const [first] = planned
    const isTaken = numberAt(only, "max_budget") !== undefined
    if (isTaken) note(at, "has a budget, and its key another: the key's comes along")
    else if (first !== undefined) found.set(hash, first)
  }
  return found
}

/** Entries of metadata that have no place here. */
const metadataNotes = (row: JsonObject): ReadonlyArray<string> =>
  Object.entries(objectOf(row["metadata"])).flatMap(([name, value]) => {
    if (value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0)) return []
    return [`metadata.${name}: ${metadataReasons[name] ?? "keys and accounts have no metadata"}`]
  })

const metadataReasons: Readonly<Record<string, string>> = {
  tags: "callers send tags: x-gateway-tags, or `metadata` of the body",
  guardrails: "`guardrails` of an account, a key or a model",
  model_rpm_limit: "limits are of all models together, or of a model for all callers",
  model_tpm_limit: "limits are of all models together, or of a model for all callers",
  logging: "logs, /metrics and rows of requests are the operator's"
}

/** Rows that have no place here. */
const others = (rows: Rows, accounts: ReadonlyMap<string, PlannedAccount>): ReadonlyArray<Note> => [
  ...rows.organizations.map((row) => ({
    at: `organisation "${textAt(row, "organization_alias") ?? ""}"`,
    why: "accounts have none above them: its budget, models and limits don't come along"
  })),
  ...rows.projects.map((row) => ({
    at: `project "${textAt(row, "project_alias") ?? textAt(row, "project_id") ?? ""}"`,
    why: "accounts have no parts: tags tell its requests apart"
  })),
  ...rows.tags
    .filter((row) => textAt(row, "budget_id") !== undefined)
    .map((row) => ({
      at: `tag "${textAt(row, "tag_name") ?? ""}"`,
      why: "its budget is of all teams together: `budgets: [{ tag }]` of an account"
    })),
  ...rows.users
    .filter((row) => numberAt(row, "max_budget") !== undefined && !accounts.has(`user ${textAt(row, "user_id") ?? ""}`))
    .map((row) => ({
      at: `user "${textAt(row, "user_id") ?? ""}"`,
      why: `has a budget and no key without a team (${listAt(row, "teams").length} teams): budgets are of a key or an account`
    }))
]
