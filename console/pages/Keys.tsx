import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import { clearFilters, filterText } from "../filterText.ts"
import { dollars, number, usd, usdShort } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { useShortcuts } from "../hooks/useShortcuts.ts"
import { budgetText, secretless, secretText, usedText, usedUsd } from "../keyText.ts"
import { Button } from "../parts/Button.tsx"
import { FilterBar } from "../parts/FilterBar.tsx"
import { Rows } from "../parts/Rows.tsx"
import type { RowsHandle } from "../parts/Rows.tsx"
import { Empty, NoMatch, Part } from "../parts/states.tsx"
import { Status } from "../parts/Status.tsx"
import type { Column } from "../parts/Table.tsx"
import { Badge, Cost, Faint, Meter, None, PageHead, When } from "../parts/text.tsx"
import { reaches } from "../reaches.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"
import { isSecretPart, keysOf } from "./FindKey.tsx"
import { KeyDialogs } from "./KeyDialogs.tsx"
import type { KeyDialog } from "./KeyDialogs.tsx"
import { KeyDrawer } from "./KeyDrawer.tsx"

const text = words.keys

const BudgetMeter = ({ of: { budget, status } }: { readonly of: KeyRecord }) => {
  if (budget === null) return null
  const [spent, limit] = [dollars(budget.spent), dollars(budget.limit)]
  const label = text.budgetLabel(usd(spent), usdShort(limit), budget.period)
  return <Meter used={spent} most={limit} label={label} isOff={status !== "active"} />
}

const BudgetWords = ({ of: { budget, budgets } }: { readonly of: KeyRecord }) => {
  if (budgets.length === 0) return <None />
  if (budget === null) return <>{budgets.map(budgetText).join("; ")}</>
  return (
    <>
      {usd(dollars(budget.spent))}
      <Faint> {text.of(usdShort(dollars(budget.limit)), budget.period)}</Faint>
    </>
  )
}

const columns: ReadonlyArray<Column<KeyRecord>> = [
  {
    head: text.columns.name,
    cell: (key) => (
      <>
        <span class={key.status === "active" ? "" : "quiet"}>{key.name}</span>
        {key.declared && (
          <>
            {" "}
            <Badge>{text.declared}</Badge>
          </>
        )}
        <span class="second">{key.account}</span>
      </>
    )
  },
  {
    head: text.columns.status,
    width: 96,
    cell: ({ status }) => <Status tone={status === "active" ? "well" : "off"}>{text.status[status]}</Status>
  },
  { head: text.columns.account, width: 112, look: "no-phone no-slim quiet", cell: ({ account }) => account },
  {
    head: text.columns.secret,
    width: 92,
    look: "no-phone no-mid quiet",
    cell: (key) => {
      const secret = secretText(key)
      return secret === undefined ? <Faint>{secretless(key)}</Faint> : <span class="mono">{secret}</span>
    }
  },
  {
    head: text.columns.today,
    width: 96,
    look: "no-phone no-narrow right",
    cell: ({ usage }) => <Cost of={usedUsd(usage.today)} />
  },
  {
    head: text.columns.month,
    width: 92,
    look: "no-phone right",
    cell: ({ usage }) => <Cost of={usedUsd(usage.last_30_days)} />
  },
  {
    head: text.columns.requests,
    width: 112,
    look: "no-phone no-narrow right",
    cell: ({ usage: { last_30_days: month } }) =>
      month.requests === 0 ? <Faint>0</Faint> : <>{number(month.requests)}</>
  },
  {
    head: text.columns.budget,
    width: 276,
    look: "no-phone apart",
    cell: (key) =>
      key.budgets.length === 0 ? (
        <None />
      ) : (
        <span class="budget num">
          <BudgetMeter of={key} />
          <span>
            <BudgetWords of={key} />
          </span>
        </span>
      )
  },
  {
    head: text.columns.used,
    width: 92,
    look: "no-phone no-mid quiet",
    cell: ({ last_used_at: at }) => (at === null ? <None word={words.never} /> : <When at={at} suffix="ago" />)
  },
  {
    head: text.columns.expires,
    width: 92,
    look: "right budget-phone",
    cell: (key) => (
      <>
        {key.expires_at === null ? <Faint>{words.never}</Faint> : <When at={key.expires_at} suffix="ago" />}
        <span class="second">
          {key.budgets.length === 0 ? usedText(key.usage.last_30_days) : <BudgetWords of={key} />}
          <BudgetMeter of={key} />
        </span>
      </>
    )
  }
]

const timeOf = (at: string | null, otherwise: number) => (at === null ? otherwise : Date.parse(at))

const orders: Readonly<Record<string, (one: KeyRecord, other: KeyRecord) => number>> = {
  spent: ({ usage: one }, { usage: other }) => other.last_30_days.cost.nano_usd - one.last_30_days.cost.nano_usd,
  used: (one, other) => timeOf(other.last_used_at, 0) - timeOf(one.last_used_at, 0),
  expires: (one, other) => timeOf(one.expires_at, Number.MAX_VALUE) - timeOf(other.expires_at, Number.MAX_VALUE)
}

/** The rows that the address asks for, in its order. */
const chosen = (all: ReadonlyArray<KeyRecord>, query: URLSearchParams): ReadonlyArray<KeyRecord> => {
  const word = (query.get("q") ?? "").toLowerCase()
  const [account, state] = [query.get("account"), query.get("status")]
  const order = orders[query.get("sort") ?? ""]
  const rows = all.filter(
    (key) =>
      (account === null || key.account === account) &&
      (state === null || key.status === state) &&
      [key.id, key.name, key.account, key.hint].some((part) => part.toLowerCase().includes(word))
  )
  return order === undefined ? rows : rows.toSorted(order)
}

/** The list of keys: create, change, rotate and revoke them, and find one that has leaked. */
export const Keys = () => {
  const app = useApp()
  const { catalogue } = app
  const { id, query } = app.route()
  const dialog = useSignal<KeyDialog | undefined>(undefined)
  const handle = useRef<RowsHandle>(null)
  const keys = useData(
    () => {
      catalogue.forget("keys")
      return catalogue.keys()
    },
    { on: ["key", "account", "configuration"] }
  )
  const all = keys.value ?? []
  const open = (asked: KeyDialog) => {
    dialog.value = asked
  }
  /** Opens the key of a leaked secret; the dialog asks again unless there is exactly one. */
  const find = async (part: string) => {
    const [key, ...others] = await keysOf(app, part).catch(() => [])
    if (key === undefined || others.length > 0) open({ of: "find", part })
    else app.go(hrefOf("keys", key.id, query))
  }
  const close = () => {
    app.go(hrefOf("keys", undefined, query))
    if (id !== undefined) handle.current?.focus(id)
  }
  const step = (by: 1 | -1) => handle.current?.step(by)
  const create = (account?: string) => {
    if (reaches(app.session, "adminKeys.create")) open({ of: "create", account })
  }
  useShortcuts({ create, leave: close, step })
  useEffect(() => {
    if (query.get("new") === null) return
    app.go(hrefOf("keys"), "replace")
    create(query.get("account") ?? undefined)
  }, [query])
  const active = all.filter(({ status }) => status === "active").length
  return (
    <>
      <PageHead title={words.pages.keys} note={keys.value && text.active(number(active))}>
        <Button needs="adminKeys.find" onClick={() => open({ of: "find", part: "" })}>
          {text.find}
        </Button>
        <Button look="primary" needs="adminKeys.create" onClick={() => create()}>
          {text.create}
          <kbd aria-hidden="true">c</kbd>
        </Button>
      </PageHead>
      <FilterBar
        label={text.search}
        example={text.example}
        keep={(part) => {
          const isSecret = isSecretPart(part)
          if (isSecret) void find(part)
          return isSecret
        }}
        choices={[
          { name: "account", any: text.anyAccount, values: [...new Set(all.map(({ account }) => account))].toSorted() },
          { name: "status", any: text.anyStatus, values: ["active", "suspended", "expired", "revoked"] },
          { name: "sort", any: text.anySort, values: Object.entries(text.sorts) }
        ]}
      />
      <div class="page">
        <Part of={keys} what={words.pages.keys}>
          {() => <List rows={chosen(all, query)} isEmpty={all.length === 0} selected={id} handle={handle} />}
        </Part>
      </div>
      {id !== undefined && keys.value !== undefined && (
        <KeyDrawer id={id} of={all.find((key) => key.id === id)} open={open} close={close} step={step} />
      )}
      <KeyDialogs open={dialog} changed={keys.again} />
    </>
  )
}

const List = ({
  handle,
  isEmpty,
  rows,
  selected
}: {
  readonly rows: ReadonlyArray<KeyRecord>
  readonly isEmpty: boolean
  readonly selected: string | undefined
  readonly handle: { current: RowsHandle | null }
}) => {
  const app = useApp()
  const { query } = app.route()
  if (isEmpty) {
    return (
      <Empty title={text.emptyTitle} snippets={[["", 'gateway keys create ci --account team-a --model "claude-*"']]}>
        {text.empty}
      </Empty>
    )
  }
  if (rows.length === 0) {
    const said = text.noMatch(filterText(query, ["account", "status"]))
    return <NoMatch said={said} clear={() => clearFilters(app)} />
  }
  return (
    <div class="bleed">
      <Rows
        label={words.pages.keys}
        rows={rows}
        columns={columns}
        keyOf={({ id }) => id}
        open={({ id }) => app.go(hrefOf("keys", id, query), selected === undefined ? "push" : "replace")}
        selected={selected}
        handle={handle}
      />
    </div>
  )
}
