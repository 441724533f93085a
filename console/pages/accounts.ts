import type { AccountRecord } from "../../src/admin/AccountRecord.ts"
import type { AuditRecord } from "../../src/admin/AuditRecord.ts"
import type { App, RenderPage } from "../app.ts"
import { beforeAndAfter } from "../auditText.ts"
import { button, faint, mono, none, quiet, when } from "../components/bits.ts"
import { empty, loader } from "../components/states.ts"
import { status } from "../components/status.ts"
import { fill, h, refill } from "../dom.ts"
import type { Child } from "../dom.ts"
import { dollars, number, usd } from "../format.ts"
import { pageHead } from "../frame.ts"
import { budgetText, limitsText } from "../keyText.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"
import { accountDialogs } from "./accountDialogs.ts"
import type { AccountDialogs } from "./accountDialogs.ts"

const text = words.accounts

/** An account needs attention below this share of its grants. */
const lowShare = 0.05

const cell = (head: string, look: string, ...children: ReadonlyArray<Child>) =>
  h("td", { class: look, "data-head": head }, children)

const shareMeter = (account: AccountRecord): Child => {
  if (account.granted === null) return none()
  const [granted, settled, held] = [dollars(account.granted), dollars(account.settled), dollars(account.held)]
  const left = dollars(account.available)
  const width = (part: number) => `${granted <= 0 ? 0 : Math.min(100, (100 * part) / granted).toFixed(1)}%`
  return h(
    "span",
    {
      class: left <= 0 ? "meter bad" : left < granted * lowShare ? "meter warn" : "meter",
      role: "img",
      "aria-label": text.share(usd(settled), usd(held), usd(left))
    },
    h("i", { css: { width: width(settled) } }),
    h("i", { css: { width: held > 0 ? `max(2px, ${width(held)})` : "0" } })
  )
}

const rowOf = (account: AccountRecord, dialogs: AccountDialogs) => {
  const { columns } = text
  const all = [limitsText(account.limits), ...account.budgets.map(budgetText)].filter((one) => one !== undefined)
  const limits = all.length === 0 ? undefined : all.join("; ")
  const left = dollars(account.available)
  const isLow = account.granted !== null && left < dollars(account.granted) * lowShare
  const isSuspended = account.suspended_at !== null
  return h(
    "tr",
    {},
    h(
      "td",
      { class: "wrap whole" },
      h("b", { class: "name" }, account.id),
      isSuspended && [" ", status("off", text.suspended)]
    ),
    cell(
      columns.keys,
      "right",
      h("a", { href: hrefOf("keys", undefined, { account: account.id }) }, number(account.keys))
    ),
    cell(columns.granted, "right", account.granted === null ? faint(text.unmetered) : usd(dollars(account.granted))),
    cell(columns.settled, "right", usd(dollars(account.settled))),
    cell(columns.held, "right", dollars(account.held) === 0 ? faint(usd(0)) : usd(dollars(account.held))),
    cell(
      columns.available,
      "right",
      account.available === null ? faint(text.noEnd) : isLow ? status("warn", usd(left)) : usd(left)
    ),
    cell(columns.share, "apart", shareMeter(account)),
    cell(columns.limits, limits === undefined ? "no-mid" : "quiet no-mid", limits ?? none()),
    h(
      "td",
      { class: "right whole" },
      h(
        "span",
        { class: "row-actions" },
        button(text.credit, () => dialogs.credit(account), {
          look: "small",
          "aria-label": `${text.credit} ${account.id}`
        }),
        button(text.edit, () => dialogs.edit(account), { look: "small", "aria-label": `${text.edit} ${account.id}` }),
        isSuspended
          ? [
              button(text.resume, () => void dialogs.resume(account), {
                look: "small",
                "aria-label": `${text.resume} ${account.id}`
              }),
              button(text.delete, () => dialogs.remove(account), {
                look: "small danger",
                "aria-label": `${text.delete} ${account.id}`
              })
            ]
          : button(text.suspend, () => dialogs.suspend(account), {
              look: "small danger",
              "aria-label": `${text.suspend} ${account.id}`
            })
      )
    )
  )
}

const accountsTable = (rows: ReadonlyArray<AccountRecord>, dialogs: AccountDialogs) => {
  const { columns } = text
  const heads = [
    [columns.account, "", 190],
    [columns.keys, "right", 60],
    [columns.granted, "right", 100],
    [columns.settled, "right", 100],
    [columns.held, "right", 84],
    [columns.available, "right", 106],
    [columns.share, "apart", 0],
    [columns.limits, "no-mid", 140],
    [columns.change, "right", 312]
  ] as const
  return h(
    "table",
    { class: "table wide stacks", "aria-label": words.pages.accounts },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map(([name, look, width]) =>
          h("th", { scope: "col", class: look, ...(width === 0 ? {} : { css: { width: `${width}px` } }) }, name)
        )
      )
    ),
    h(
      "tbody",
      {},
      rows.map((row) => rowOf(row, dialogs))
    )
  )
}

const auditTable = (app: App, rows: ReadonlyArray<AuditRecord>, keyNames: ReadonlyMap<string, string>) => {
  const target = (record: AuditRecord): Child =>
    keyNames.has(record.target)
      ? h("a", { href: hrefOf("keys", record.target) }, keyNames.get(record.target))
      : record.target
  const { audit } = text
  const heads = [
    [app.clockTimes() ? audit.utc : audit.age, 92],
    [audit.who, 150],
    [audit.what, 150],
    [audit.target, 190],
    [audit.before, 0],
    [audit.after, 0]
  ] as const
  return h(
    "table",
    { class: "table wide stacks plain", "aria-label": text.changes },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map(([name, width]) =>
          h("th", { scope: "col", ...(width === 0 ? {} : { css: { width: `${width}px` } }) }, name)
        )
      )
    ),
    h(
      "tbody",
      {},
      rows.map((record) => {
        const [before, after] = beforeAndAfter(record)
        return h(
          "tr",
          {},
          cell(audit.age, "quiet", when(app, record.time)),
          cell(audit.who, "quiet", record.actor),
          cell(audit.what, "", mono(record.action)),
          cell(audit.target, "", target(record)),
          cell(audit.before, "whole", before),
          cell(audit.after, "whole", after)
        )
      })
    )
  )
}

/** Accounts with their keys, tasks and money, and the audit log. */
export const accounts: RenderPage = (app, main) => {
  const dialogs = accountDialogs(app, () => refresh())
  const create = button([text.create, h("kbd", { "aria-hidden": "true" }, "c")], () => dialogs.create(), {
    look: "primary"
  })
  const head = pageHead(words.pages.accounts, create)
  const area = h("div", { class: "page" })
  fill(main, head.element, area)

  interface Loaded {
    readonly all: ReadonlyArray<AccountRecord>
    readonly audit: ReadonlyArray<AuditRecord>
    readonly next: string | null
    /** Names of keys, by id. */
    readonly names: ReadonlyMap<string, string>
  }
  let loaded: Loaded | undefined
  const auditPage = async (after?: string) =>
    app.client.admin((admin) =>
      admin.adminOperations.audit({ urlParams: { limit: 50, ...(after === undefined ? {} : { after }) } })
    )
  const draw = () => {
    if (loaded === undefined) return
    const { all, audit, names, next } = loaded
    head.note.textContent = text.held(usd(all.reduce((sum, { held }) => sum + dollars(held), 0)))
    const more = async () => {
      const page = await auditPage(next ?? undefined)
      loaded = { all, audit: [...audit, ...page.data], names, next: page.next }
      draw()
    }
    refill(
      area,
      all.length === 0
        ? empty(app, text.emptyTitle, text.empty, [["", "gateway accounts create team-a --balance 50"]])
        : h(
            "div",
            { class: "bleed sideways", tabindex: 0, role: "region", "aria-label": words.pages.accounts },
            accountsTable(all, dialogs)
          ),
      h("p", { class: "hint rule" }, text.rule),
      h("div", { class: "caption below" }, h("h2", {}, text.changes), faint(text.changesNote)),
      audit.length === 0
        ? quiet(words.key.noChanges)
        : h(
            "div",
            { class: "bleed sideways", tabindex: 0, role: "region", "aria-label": text.changes },
            auditTable(app, audit, names)
          ),
      next !== null &&
        h(
          "p",
          { class: "more" },
          button(text.more, () => void more())
        )
    )
  }
  const loading = loader(
    app,
    words.pages.accounts,
    area,
    async (): Promise<Loaded> => {
      const [all, keys, audit] = await Promise.all([app.catalogue.accounts(), app.catalogue.keys(), auditPage()])
      return { all, audit: audit.data, next: audit.next, names: new Map(keys.map(({ id, name }) => [id, name])) }
    },
    (now) => {
      loaded = now
      draw()
    }
  )
  const refresh = async () => {
    app.catalogue.forget("accounts")
    await loading.run(true)
  }
  const heard = app.live.onChange(({ what }) => {
    if (what === "account" || what === "key" || what === "configuration") void refresh()
  })
  app.catalogue.forget("accounts")
  void loading.run()
  return {
    show: ({ query }) => {
      if (query.get("new") === null) return
      app.go(hrefOf("accounts"), "replace")
      dialogs.create()
    },
    redraw: draw,
    create: () => dialogs.create(),
    close() {
      heard()
      loading.close()
    }
  }
}
