import type { AccountRecord } from "../../src/admin/AccountRecord.ts"
import { KeyState } from "../../src/admin/KeyRecord.ts"
import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import { hasOwnKeysAlone } from "../../src/contract/callers/roles.ts"
import { Schema } from "effect"
import { dollars, permits, usd } from "../format.ts"
import { actingIn } from "../actingIn.ts"
import { useApp } from "../hooks/useApp.ts"
import { Group, Select, TextField } from "../parts/fields.tsx"
import { dollarsText, useField, wrong } from "../parts/form.ts"
import type { Field } from "../parts/form.ts"
import { editedField, StaleEdit, useStaleEdit } from "../parts/StaleEdit.tsx"
import type { EditedField } from "../parts/StaleEdit.tsx"
import { words } from "../words/words.ts"
import { useKeySettings } from "./settingFields.tsx"
import { LimitFields, useLimits } from "./limitFields.tsx"

const text = words.keyForm

const dayMs = 86_400_000
const expiries: Readonly<Record<string, number>> = {
  day: dayMs,
  month: 30 * dayMs,
  quarter: 90 * dayMs,
  year: 365 * dayMs
}

/** Lives that a member's key can't have: it ends after 90 days. */
const tooLong = ["never", "year"]

interface KeyFormOptions {
  /** The key whose settings fill the form. */
  readonly like?: KeyRecord | undefined
  readonly account?: string | undefined
  readonly isEdit: boolean
}

export const namesIn = (field: Field): ReadonlyArray<string> =>
  field.value.value.split(/[\s,]+/).filter((part) => part !== "")

/** The stored one stays if none is sent. */
const editedExpiry = (expires: Field): EditedField<KeyState> => ({
  name: text.expires,
  of: (now) => now.expires_at ?? "never",
  get: (now) => (expires.value.value === "keep" ? (now.expires_at ?? "never") : expires.value.value),
  set: (value) => {
    expires.value.value = value in expiries ? value : "keep"
  },
  tell: (value) => Object.entries(text.expiry).find(([name]) => name === value)?.[1] ?? value
})

/** The form of a new or existing key. */
export const useKeyForm = ({ account: ofAccount, isEdit, like }: KeyFormOptions) => {
  const { role } = useApp().session
  const isMember = role !== undefined && hasOwnKeysAlone(role)
  const name = useField(isEdit ? like?.name : "")
  const account = useField(ofAccount ?? like?.account ?? actingIn.account() ?? "default")
  const patterns = useField((like?.models ?? ["*"]).join(" "))
  const exceptions = useField(like?.not_models.join(" "))
  const upstreams = useField(like?.upstreams?.join(" "))
  const settings = useKeySettings(like, isMember)
  const budget = useField(like?.budget?.limit.usd)
  const period = useField(like?.budget?.period ?? "month")
  const expires = useField(isEdit ? "keep" : isMember ? "quarter" : "never")
  const limits = useLimits(like?.limits)
  const otherBudgets = like !== undefined && like.budget === null ? like.budgets.length : 0
  const stale = useStaleEdit<KeyState>(
    like,
    [
      editedField(text.name, name, (now) => now.name),
      editedField(text.models, patterns, (now) => now.models.join(" ")),
      editedField(text.notModels, exceptions, (now) => now.not_models.join(" ")),
      ...settings.edited,
      editedField(text.upstreams, upstreams, (now) => now.upstreams?.join(" ") ?? ""),
      editedField(text.budget, budget, (now) => now.budget?.limit.usd ?? null),
      editedField(text.period, period, (now) => now.budget?.period ?? period.value.value),
      editedExpiry(expires),
      ...limits.edited<KeyState>()
    ],
    Schema.is(Schema.typeSchema(KeyState))
  )

  // The gateway's clock may be behind.
  const marginMs = isMember ? 3_600_000 : 0

  const read = () => {
    if (name.value.value.trim() === "") throw wrong(name, text.nameFirst)
    if (namesIn(patterns).length === 0) throw wrong(patterns, text.patterns)
    const amount = dollarsText(budget, text.budget)
    const after = expiries[expires.value.value]
    const named = {
      account: account.value.value,
      name: name.value.value.trim(),
      ...(expires.value.value === "keep"
        ? {}
        : { expires_at: after === undefined ? null : new Date(Date.now() + after - marginMs).toISOString() })
    }
    // A member's key may have bounds of a manager: a member renames it, and lets it end earlier.
    if (isMember && isEdit) return named
    return {
      ...named,
      models: namesIn(patterns),
      not_models: namesIn(exceptions),
      // Managers and operators alone choose routes.
      ...(isMember
        ? {}
        : {
            upstreams: namesIn(upstreams).length === 0 ? null : namesIn(upstreams)
          }),
      ...settings.read(),
      limits: limits.read(),
      // Budgets that this form can't show stay, unless another one is entered.
      ...(amount === null && otherBudgets > 0
        ? {}
        : {
            budget:
              amount === null
                ? null
                : { usd: amount, period: period.value.value === "day" ? ("day" as const) : ("month" as const) }
          })
    }
  }
  const fields = { name, account, patterns, exceptions, upstreams, budget, period, expires }
  return { fields, limits, settings, stale, read, isEdit, isMember, otherBudgets }
}

/** Which of the served models the patterns match. */
export const Hits = ({
  exceptions,
  models,
  patterns
}: {
  readonly models: ReadonlyArray<string>
  readonly patterns: ReadonlyArray<string>
  readonly exceptions: ReadonlyArray<string>
}) => {
  const names = models.filter((model) => permits({ models: patterns, not_models: exceptions }, model))
  return names.length === 0 ? (
    <span class="field-error">{text.matchesNone(models.length)}</span>
  ) : (
    <>{text.matches(names.length, models.length, names.join(", "))}</>
  )
}

const available = (account: AccountRecord | undefined): string => {
  if (account === undefined) return ""
  return account.available === null
    ? text.unmetered(account.id)
    : text.available(account.id, usd(dollars(account.available)))
}

export const KeyFields = ({
  accounts,
  form: { fields, isEdit, isMember, limits, otherBudgets, settings, stale },
  models
}: {
  readonly form: ReturnType<typeof useKeyForm>
  readonly accounts: ReadonlyArray<AccountRecord>
  readonly models: ReadonlyArray<string>
}) => {
  const chosen = fields.account.value.value
  const { session } = useApp()
  const reached = accounts.length > 0 ? accounts.map(({ id }) => id) : (session.accounts ?? [])
  const names = [...new Set([...reached, chosen])]
  const lives = Object.entries(text.expiry).filter(
    ([value]) => (isEdit || value !== "keep") && !(isMember && tooLong.includes(value))
  )
  const life = <Select id="key-expires" label={text.expires} of={fields.expires} choices={lives} />
  if (isMember && isEdit) {
    return (
      <>
        <StaleEdit of={stale} />
        <TextField id="key-name" label={text.name} of={fields.name} />
        {life}
      </>
    )
  }
  return (
    <>
      <StaleEdit of={stale} />
      <div class="pair">
        <TextField id="key-name" label={text.name} of={fields.name} />
        {isEdit ? (
          <Group label={text.account}>{chosen}</Group>
        ) : (
          <Select
            id="key-account"
            label={text.account}
            of={fields.account}
            choices={names.map((id) => [id, id] as const)}
          />
        )}
      </div>
      <TextField
        id="key-models"
        label={text.models}
        look="mono"
        of={fields.patterns}
        hint={<Hits models={models} patterns={namesIn(fields.patterns)} exceptions={namesIn(fields.exceptions)} />}
      />
      <TextField
        id="key-not-models"
        label={text.notModels}
        look="mono"
        of={fields.exceptions}
        placeholder={text.noModels}
        hint={text.notModelsHint}
      />
      <div class="pair">
        {!isMember && (
          <TextField
            id="key-upstreams"
            label={text.upstreams}
            look="mono"
            of={fields.upstreams}
            placeholder={text.allUpstreams}
          />
        )}
        {settings.controls}
      </div>
      <div class="pair">
        <TextField
          id="key-budget"
          label={text.budget}
          of={fields.budget}
          inputMode="decimal"
          placeholder={otherBudgets > 0 ? text.otherBudgets(otherBudgets) : text.noBudget}
          hint={available(accounts.find(({ id }) => id === chosen))}
        />
        <Select
          id="key-period"
          label={text.period}
          of={fields.period}
          choices={[
            ["month", text.periods.month],
            ["day", text.periods.day]
          ]}
        />
      </div>
      {life}
      <LimitFields of="key" limits={limits} />
    </>
  )
}
