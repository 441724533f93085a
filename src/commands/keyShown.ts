import type { KeyRecord } from "../admin/KeyRecord.ts"
import { hintShown } from "../contract/callers/keyHint.ts"
import { keySettingTexts } from "../contract/callers/keySettings.ts"
import { budgetLines } from "./budgets.ts"
import { moneyText } from "./moneyText.ts"
import { limitsShown, shortTime } from "./options.ts"
import { fields, listTable } from "./table.ts"

/** A table of keys with what they have used. */
export const keyTable = (keys: ReadonlyArray<KeyRecord>, wide = false): string =>
  listTable(header, keys.map(row), { ids: ["ID"], rare, wide })

const rare = ["MODELS", "LIMITS", "BUDGET", "EXPIRES", "TODAY", "REQUESTS", "LAST USED", "SECRET", "ACCOUNT"]
const header = [
  "ID",
  "ACCOUNT",
  "NAME",
  "STATUS",
  "SECRET",
  "TODAY",
  "30 DAYS",
  "REQUESTS",
  "MODELS",
  "LIMITS",
  "BUDGET",
  "EXPIRES",
  "LAST USED"
]

const row = (key: KeyRecord) => [
  key.id,
  key.account,
  key.name,
  statusShown(key),
  hintShown({ text: key.hint, form: key.hint_form }),
  dollars(key.usage.today),
  dollars(key.usage.last_30_days),
  key.usage.last_30_days.requests.toLocaleString("en"),
  key.models.join(" "),
  limitsShown(key.limits),
  budgetLines(key.budgets).join("; "),
  shortTime(key.expires_at) || "never",
  shortTime(key.last_used_at)
]

const reasons = { account: "its account", person: "its person", provider: "the sign-in provider" } as const

const statusShown = ({ status, suspended_by: by }: KeyRecord): string =>
  by === null ? status : `${status} (${reasons[by]})`

type Used = KeyRecord["usage"]["total"]

const dollars = ({ cost }: Used) => moneyText(cost)
const used = (use: Used) =>
  `${dollars(use)}, ${use.requests.toLocaleString("en")} ${use.requests === 1 ? "request" : "requests"}`

/** A key, one setting a line. */
export const keyShown = (key: KeyRecord): string =>
  fields({
    id: key.id,
    account: key.account,
    name: key.name,
    status: statusShown(key),
    secret: !key.has_secret
      ? "none; tokens open it"
      : key.hint === ""
        ? null
        : `gw_${hintShown({ text: key.hint, form: key.hint_form })}`,
    "old secret": key.old_secret_until === undefined ? null : `works until ${key.old_secret_until}`,
    "used today": used(key.usage.today),
    "in 30 days": used(key.usage.last_30_days),
    "in total": used(key.usage.total),
    "last used": key.last_used_at ?? "never",
    models: key.models.join(" "),
    "not models": key.not_models.join(" ") || null,
    upstreams: key.upstreams?.join(" ") ?? null,
    ...Object.fromEntries(keySettingTexts(key).map(({ line }) => line)),
    limits: limitsShown(key.limits) || null,
    budgets: budgetLines(key.budgets),
    declared: key.declared ? "in the configuration file" : null,
    created: key.created_at,
    expires: key.expires_at,
    revoked: key.revoked_at
  })
