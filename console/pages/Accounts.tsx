import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { AccountRecord } from "../../src/admin/AccountRecord.ts"
import { dollars, number, usd } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { useShortcuts } from "../hooks/useShortcuts.ts"
import { budgetText, limitsText } from "../keyText.ts"
import { Button } from "../parts/Button.tsx"
import { Rows } from "../parts/Rows.tsx"
import type { RowsHandle } from "../parts/Rows.tsx"
import { Empty, Part } from "../parts/states.tsx"
import { Status } from "../parts/Status.tsx"
import type { Column } from "../parts/Table.tsx"
import { Faint, None, PageHead, Usd } from "../parts/text.tsx"
import { reaches } from "../reaches.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"
import { AccountDialogs } from "./AccountDialogs.tsx"
import type { AccountDialog } from "./accountDialog.ts"
import { AccountPage } from "./AccountPage.tsx"

const text = words.accounts

/** An account needs attention below this share of its grants. */
const lowShare = 0.05

const isLow = (account: AccountRecord): boolean =>
  account.granted !== null && dollars(account.available) < dollars(account.granted) * lowShare

const ShareMeter = ({ of: account }: { readonly of: AccountRecord }) => {
  if (account.granted === null) return <None />
  const [granted, settled, held] = [dollars(account.granted), dollars(account.settled), dollars(account.held)]
  const left = dollars(account.available)
  const width = (part: number) => `${granted <= 0 ? 0 : Math.min(100, (100 * part) / granted).toFixed(1)}%`
  return (
    <span
      class={left <= 0 ? "meter bad" : isLow(account) ? "meter warn" : "meter"}
      role="img"
      aria-label={text.share(usd(settled), usd(held), usd(left))}
    >
      <i style={{ width: width(settled) }} />
      <i style={{ width: held > 0 ? `max(2px, ${width(held)})` : "0" }} />
    </span>
  )
}

const Available = ({ of: account }: { readonly of: AccountRecord }) => {
  if (account.available === null) return <Faint>{text.noEnd}</Faint>
  const left = usd(dollars(account.available))
  return isLow(account) ? <Status tone="warn">{left}</Status> : <>{left}</>
}

const boundsText = (account: AccountRecord): string | undefined => {
  const all = [limitsText(account.limits), ...account.budgets.map(budgetText)].filter((one) => one !== undefined)
  return all.length === 0 ? undefined : all.join("; ")
}

const columns: ReadonlyArray<Column<AccountRecord>> = [
  {
    head: text.columns.account,
    cell: (account) => (
      <>
        <b class="name">{account.id}</b>
        {account.suspended_at !== null && (
          <>
            {" "}
            <Status tone="off">{text.suspended}</Status>
          </>
        )}
        <span class="second">{boundsText(account) ?? text.unbounded}</span>
      </>
    )
  },
  { head: text.columns.keys, width: 60, look: "right no-phone", cell: ({ keys }) => number(keys) },
  {
    head: text.columns.granted,
    width: 100,
    look: "right no-phone no-narrow",
    cell: ({ granted }) => (granted === null ? <Faint>{text.unmetered}</Faint> : usd(dollars(granted)))
  },
  { head: text.columns.settled, width: 100, look: "right", cell: ({ settled }) => <Usd of={dollars(settled)} /> },
  {
    head: text.columns.held,
    width: 84,
    look: "right no-phone no-narrow",
    cell: ({ held }) => <Usd of={dollars(held)} />
  },
  { head: text.columns.available, width: 106, look: "right", cell: (account) => <Available of={account} /> },
  {
    head: text.columns.share,
    width: 150,
    look: "apart no-phone no-slim",
    cell: (account) => <ShareMeter of={account} />
  },
  {
    head: text.columns.limits,
    width: 300,
    look: "quiet apart no-phone",
    cell: (account) => {
      const bounds = boundsText(account)
      return bounds === undefined ? <None /> : <span title={bounds}>{bounds}</span>
    }
  }
]

/** The list of accounts, or one of them as a page. */
export const Accounts = () => {
  const { id } = useApp().route()
  return id === undefined ? <List /> : <AccountPage key={id} id={id} />
}

const List = () => {
  const app = useApp()
  const { catalogue } = app
  const { query } = app.route()
  const dialog = useSignal<AccountDialog | undefined>(undefined)
  const handle = useRef<RowsHandle>(null)
  const accounts = useData(
    () => {
      catalogue.forget("accounts")
      return catalogue.accounts()
    },
    { on: ["account", "key", "configuration"] }
  )
  const create = () => {
    if (reaches(app.session, "adminAccounts.create")) dialog.value = { of: "create" }
  }
  useShortcuts({ create, step: (by) => handle.current?.step(by) })
  useEffect(() => {
    if (query.get("new") === null) return
    app.go(hrefOf("accounts"), "replace")
    create()
  }, [query])
  const held = accounts.value?.reduce((sum, one) => sum + dollars(one.held), 0)
  return (
    <>
      <PageHead title={words.pages.accounts} note={held !== undefined && text.held(usd(held))}>
        <a class="button" href={hrefOf("audit", undefined, { action: "account" })}>
          {text.changes}
        </a>
        <Button look="primary" needs="adminAccounts.create" onClick={create}>
          {text.create}
          <kbd aria-hidden="true">c</kbd>
        </Button>
      </PageHead>
      <div class="page">
        <Part of={accounts} what={words.pages.accounts}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty title={text.emptyTitle} snippets={[["", "gateway accounts create team-a --balance 50"]]}>
                {text.empty}
              </Empty>
            ) : (
              <div class="bleed without-filters">
                <Rows
                  label={words.pages.accounts}
                  rows={rows}
                  columns={columns}
                  keyOf={({ id }) => id}
                  open={({ id }) => app.go(hrefOf("accounts", id))}
                  handle={handle}
                />
              </div>
            )
          }
        </Part>
        <p class="hint rule">{text.rule}</p>
      </div>
      <AccountDialogs open={dialog} changed={accounts.again} />
    </>
  )
}
