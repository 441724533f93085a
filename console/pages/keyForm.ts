import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import type { App } from "../app.ts"
import { dollarsText, field, select, textInput, wrong } from "../components/fields.ts"
import { inputField, staleEdit } from "../components/staleEdit.ts"
import { fill, h } from "../dom.ts"
import { dollars, permits, usd } from "../format.ts"
import { words } from "../words/words.ts"
import { limitFields } from "./limitFields.ts"

const text = words.keyForm

const dayMs = 86_400_000
const expiries: Readonly<Record<string, number>> = {
  day: dayMs,
  month: 30 * dayMs,
  quarter: 90 * dayMs,
  year: 365 * dayMs
}

/** The form of a new or existing key. @param like the key whose settings fill it */
export const keyForm = async (
  app: App,
  like: KeyRecord | undefined,
  ofAccount: string | undefined,
  isEdit: boolean
) => {
  const [accounts, models] = await Promise.all([app.catalogue.accounts(), app.catalogue.models().catch(() => [])])
  const name = textInput(isEdit ? (like?.name ?? "") : "", { id: "key-name" })
  const account = select(
    accounts.map(({ id }) => [id, id] as const),
    ofAccount ?? like?.account ?? "default",
    { id: "key-account", disabled: isEdit }
  )
  const patterns = textInput((like?.models ?? ["*"]).join(" "), { id: "key-models", class: "input mono" })
  const hits = h("span")
  const exceptions = textInput((like?.not_models ?? []).join(" "), {
    id: "key-not-models",
    class: "input mono",
    placeholder: text.noModels
  })
  const upstreams = textInput((like?.upstreams ?? []).join(" "), {
    id: "key-upstreams",
    class: "input mono",
    placeholder: text.allUpstreams
  })
  const routes = select(
    [
      ["no", text.routes.no],
      ["yes", text.routes.yes]
    ],
    like?.choose_route === true ? "yes" : "no",
    { id: "key-route" }
  )
  const matched = () => namesIn(patterns)
  const showHits = () => {
    const names = models.filter((model) => permits({ models: matched(), not_models: namesIn(exceptions) }, model))
    hits.className = names.length === 0 ? "field-error" : ""
    hits.textContent =
      names.length === 0 ? text.matchesNone(models.length) : text.matches(names.length, models.length, names.join(", "))
  }
  patterns.addEventListener("input", showHits)
  exceptions.addEventListener("input", showHits)
  showHits()
  const hasOthers = like !== undefined && like.budget === null && like.budgets.length > 0
  const budget = textInput(like?.budget === null || like === undefined ? "" : like.budget.limit.usd, {
    id: "key-budget",
    inputmode: "decimal",
    placeholder: hasOthers ? text.otherBudgets(like.budgets.length) : text.noBudget,
    "aria-label": text.budget
  })
  const period = select(
    [
      ["month", text.periods.month],
      ["day", text.periods.day]
    ],
    like?.budget?.period ?? "month",
    { "aria-label": text.period }
  )
  const money = h("span")
  const showMoney = () => {
    const left = accounts.find(({ id }) => id === account.value)
    fill(
      money,
      left === undefined
        ? ""
        : left.available === null
          ? text.unmetered(left.id)
          : text.available(left.id, usd(dollars(left.available)))
    )
  }
  account.addEventListener("change", showMoney)
  showMoney()
  const expires = select(
    [
      ...(isEdit ? [["keep", text.expiry.keep] as const] : []),
      ["never", text.expiry.never],
      ["day", text.expiry.day],
      ["month", text.expiry.month],
      ["quarter", text.expiry.quarter],
      ["year", text.expiry.year]
    ],
    isEdit ? "keep" : "never",
    { id: "key-expires" }
  )
  const limits = limitFields("key", like?.limits)
  const stale = staleEdit<KeyRecord>(like, [
    inputField(text.name, name, (now) => now.name),
    inputField(text.models, patterns, (now) => now.models.join(" ")),
    inputField(text.notModels, exceptions, (now) => now.not_models.join(" ")),
    inputField(text.routesTitle, routes, (now) => (now.choose_route ? "yes" : "no")),
    inputField(text.upstreams, upstreams, (now) => now.upstreams?.join(" ") ?? ""),
    inputField(text.budget, budget, (now) => now.budget?.limit.usd ?? null),
    inputField(text.period, period, (now) => now.budget?.period ?? period.value),
    {
      name: text.expires,
      of: (now) => now.expires_at ?? "never",
      get: (now) => (expires.value === "keep" ? (now.expires_at ?? "never") : expires.value),
      // The stored one stays if none is sent.
      set: (value) => {
        expires.value = value in expiries ? value : "keep"
      },
      tell: (value) => Object.entries(text.expiry).find(([name]) => name === value)?.[1] ?? value
    },
    ...limits.edited<KeyRecord>()
  ])

  const read = () => {
    if (name.value.trim() === "") throw wrong(name, text.nameFirst)
    if (matched().length === 0) throw wrong(patterns, text.patterns)
    const amount = dollarsText(budget, text.budget)
    const after = expiries[expires.value]
    return {
      account: account.value,
      name: name.value.trim(),
      models: matched(),
      not_models: namesIn(exceptions),
      upstreams: namesIn(upstreams).length === 0 ? null : namesIn(upstreams),
      choose_route: routes.value === "yes",
      limits: limits.read(),
      // Budgets that this form can't show stay, unless another one is entered.
      ...(amount === null && hasOthers
        ? {}
        : {
            budget:
              amount === null
                ? null
                : { usd: amount, period: period.value === "day" ? ("day" as const) : ("month" as const) }
          }),
      ...(expires.value === "keep"
        ? {}
        : { expires_at: after === undefined ? null : new Date(Date.now() + after).toISOString() })
    }
  }

  return {
    body: [
      stale.element,
      h("div", { class: "pair" }, field(text.name, name), field(text.account, account)),
      field(text.models, patterns, hits),
      field(text.notModels, exceptions, h("span", {}, text.notModelsHint)),
      h("div", { class: "pair" }, field(text.upstreams, upstreams), field(text.routesTitle, routes)),
      h(
        "div",
        { class: "pair" },
        field(text.budget, h("span", { class: "inline" }, budget, period), money, true),
        field(text.expires, expires)
      ),
      limits.body
    ],
    read,
    save: stale.save
  }
}

const namesIn = (input: HTMLInputElement): ReadonlyArray<string> =>
  input.value.split(/[\s,]+/).filter((part) => part !== "")
