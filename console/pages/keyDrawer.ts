import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import type { App } from "../app.ts"
import { auditLines } from "../auditText.ts"
import {
  button,
  copyable,
  fact,
  facts,
  faint,
  meter,
  mono,
  none,
  section,
  smallTable,
  when
} from "../components/bits.ts"
import type { Drawer } from "../components/drawer.ts"
import { status } from "../components/status.ts"
import { h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { dollars, matches, permits, usd, utc } from "../format.ts"
import { budgetText, limitsText } from "../keyText.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"
import type { KeyDialogs } from "./keyDialogs.ts"

const text = words.key

const budgetOf = (key: KeyRecord): Child => {
  if (key.budget === null) {
    return key.budgets.length === 0
      ? null
      : section(
          text.budget,
          key.budgets.map((one) => h("p", { class: "num" }, budgetText(one)))
        )
  }
  const { period } = key.budget
  const [spent, limit] = [dollars(key.budget.spent), dollars(key.budget.limit)]
  const told = text.spent(usd(spent), usd(limit), period)
  return section(
    text.budget,
    meter(spent, limit, told, key.status !== "active"),
    h("p", { class: "num" }, told, faint(text.left(usd(Math.max(0, limit - spent)))))
  )
}

/** One key: its actions, limits and budget, the models that its patterns match, and its changes. */
export const keyDrawer = (app: App, drawer: Drawer, dialogs: KeyDialogs) => {
  let wanted = ""
  const draw = (key: KeyRecord, models: ReadonlyArray<string>, changes: Child) => {
    const hits = models.filter((model) => permits(key, model))
    const acts =
      key.status === "active"
        ? [
            button(text.edit, () => void dialogs.edit(key), { disabled: key.declared }),
            button(text.rotate, () => dialogs.rotate(key), { disabled: key.declared }),
            button(text.revoke, () => dialogs.revoke(key), { look: "danger", disabled: key.declared })
          ]
        : [button(text.like, () => void dialogs.create(key))]
    drawer.show(
      key.id,
      [status(key.status === "active" ? "well" : "off", words.keys.status[key.status]), h("span", {}, key.name)],
      h(
        "section",
        {},
        h(
          "div",
          { class: "actions" },
          acts,
          h(
            "a",
            { class: "button", href: hrefOf("requests", undefined, { q: `key:${key.id}`, range: "24h" }) },
            text.requests
          )
        ),
        key.declared && h("p", { class: "hint" }, text.declared)
      ),
      h(
        "section",
        {},
        facts(
          false,
          fact(text.facts.key, copyable(app, key.id), true),
          fact(text.facts.secret, key.hint === "" ? faint(words.keys.ownSecret) : mono(`gw_…${key.hint}`), true),
          fact(text.facts.account, h("a", { href: hrefOf("accounts") }, key.account), true),
          fact(
            text.facts.used,
            key.last_used_at === null ? none(words.never) : when(app, key.last_used_at, "ago"),
            true
          ),
          fact(text.facts.limits, limitsText(key.limits) ?? none(), true),
          key.upstreams !== null && fact(text.facts.upstreams, mono(key.upstreams.join(" ")), true),
          key.choose_route && fact(text.facts.route, text.choosesRoute, true),
          fact(text.facts.expires, key.expires_at === null ? words.never : when(app, key.expires_at, "ago"), true),
          fact(text.facts.made, utc(Date.parse(key.created_at)), true)
        )
      ),
      budgetOf(key),
      section(
        text.models(hits.length, models.length),
        smallTable(
          [["", "", 150], [""]],
          [...key.models, ...key.not_models].map((pattern, index) => {
            const isAllowed = index < key.models.length
            const names = models.filter((model) => matches(pattern, model))
            return [
              mono(isAllowed ? pattern : text.not(pattern)),
              names.length === 0 ? faint(text.nothing) : h("span", { class: "quiet" }, names.join(", "))
            ]
          }),
          { isPlain: true, label: words.keys.columns.models }
        )
      ),
      section(text.changes, changes)
    )
  }
  return {
    async show(id: string, all: ReadonlyArray<KeyRecord>) {
      wanted = id
      const key = all.find((one) => one.id === id)
      if (key === undefined)
        return drawer.show(id, h("span", {}, id), h("section", {}, h("p", { class: "note" }, text.gone)))
      const isAgain = drawer.shown() === id
      const models = await app.catalogue.models().catch(() => [])
      if (wanted !== id) return
      if (!isAgain) draw(key, models, h("p", { class: "hint" }, words.loading))
      const page = await app.client
        .admin((admin) => admin.adminOperations.audit({ urlParams: { target: id, limit: 20 } }))
        .catch(() => undefined)
      if (wanted !== id || page === undefined) return
      draw(key, models, page.data.length === 0 ? h("p", { class: "hint" }, text.noChanges) : auditLines(app, page.data))
    },
    /** Later results are ignored. */
    close() {
      wanted = ""
      drawer.hide()
    }
  }
}
