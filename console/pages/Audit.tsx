import { useMemo, useRef } from "preact/hooks"
import type { AuditRecord } from "../../src/admin/AuditRecord.ts"
import { auditFilterOf } from "../auditFilter.ts"
import { number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { usePages } from "../hooks/usePages.ts"
import { useShortcuts } from "../hooks/useShortcuts.ts"
import { Button } from "../parts/Button.tsx"
import { Actor, ChangesLine } from "../parts/Change.tsx"
import { FilterBar } from "../parts/FilterBar.tsx"
import type { Choice } from "../parts/FilterBar.tsx"
import { Rows } from "../parts/Rows.tsx"
import type { RowsHandle } from "../parts/Rows.tsx"
import { Empty, NoMatch, Part } from "../parts/states.tsx"
import type { Column } from "../parts/Table.tsx"
import { Faint, PageHead, When } from "../parts/text.tsx"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"
import { AuditDrawer } from "./AuditDrawer.tsx"

const text = words.audit

const choices: ReadonlyArray<Choice> = [
  { name: "action", any: text.anyAction, values: text.actions },
  { name: "actor", any: text.anyActor, values: text.actors },
  { name: "since", any: text.anyTime, values: text.times },
  { name: "sessions", any: text.sessions, values: [["true", text.withSessions]] }
]

/** On a phone, three columns remain; who and of what move to a second line. */
const columns: ReadonlyArray<Column<AuditRecord>> = [
  { head: text.columns.when, width: 96, look: "quiet", cell: ({ time }) => <When at={time} /> },
  { head: text.columns.who, width: 130, look: "no-phone", cell: ({ actor }) => <Actor actor={actor} /> },
  {
    head: text.columns.what,
    width: 170,
    look: "act",
    cell: ({ action, actor }) => (
      <>
        {action}
        <span class="second">
          <Actor actor={actor} />
        </span>
      </>
    )
  },
  {
    head: text.columns.of,
    width: 190,
    look: "no-phone",
    cell: ({ account, target, target_name }) => (
      <span title={target}>
        {target_name ?? target}
        {target_name !== null && <Faint> {account}</Faint>}
      </span>
    )
  },
  {
    head: text.columns.changed,
    look: "changed",
    cell: ({ changes, target, target_name }) => (
      <>
        <ChangesLine changes={changes} />
        <span class="second">{target_name ?? target}</span>
      </>
    )
  }
]

const keyOf = ({ id }: AuditRecord): string => String(id)

/** Entries that came after the list was first shown with these filters. */
const useFresh = (rows: ReadonlyArray<AuditRecord>, by: string): ReadonlySet<string> => {
  const first = useRef<{ readonly by: string; readonly newest: number } | undefined>(undefined)
  const newest = rows[0]?.id
  if (newest !== undefined && first.current?.by !== by) first.current = { by, newest }
  const before = first.current?.newest ?? Infinity
  return useMemo(() => new Set(rows.filter(({ id }) => id > before).map(keyOf)), [rows])
}

/** The audit log: changes with their authors and the values before and after. */
export const Audit = () => {
  const { client, go, route } = useApp()
  const { id, query } = route()
  const by = query.toString()
  const table = useRef<RowsHandle>(null)
  const entries = usePages(
    (after) =>
      client.admin((admin) =>
        admin.adminOperations.audit({
          urlParams: { ...auditFilterOf(query), limit: 200, ...(after === undefined ? {} : { after }) }
        })
      ),
    { by: [by], on: ["key", "account", "configuration", "session"] }
  )
  const { hasMore, rows } = entries.value ?? { rows: [], hasMore: false }
  const fresh = useFresh(rows, by)
  const at = (to: string | undefined) => hrefOf("audit", to, query)
  const leave = () => {
    go(at(undefined))
    if (id !== undefined) table.current?.focus(id)
  }
  const step = (by: 1 | -1) => table.current?.step(by)
  useShortcuts({ leave, step })
  const isFiltered = by !== ""
  return (
    <>
      <PageHead
        title={text.title}
        note={entries.value && text.count(rows.length, `${number(rows.length)}${hasMore ? "+" : ""}`)}
      />
      <FilterBar label={text.search} example={text.example} choices={choices} />
      <div class="page">
        <Part of={entries} what={text.title}>
          {() =>
            rows.length > 0 ? (
              <div class="bleed">
                <Rows
                  label={text.title}
                  rows={rows}
                  columns={columns}
                  keyOf={keyOf}
                  selected={id}
                  fresh={fresh}
                  open={(row) => go(at(keyOf(row)))}
                  handle={table}
                />
                {hasMore && (
                  <p class="more page">
                    <Button onClick={() => void entries.more()}>{text.older}</Button>
                  </p>
                )}
              </div>
            ) : isFiltered ? (
              <NoMatch said={[text.noMatch]} clear={() => go(hrefOf("audit"))} />
            ) : (
              <Empty title={text.empty} snippets={[["shell", "gateway audit list --changes"]]}>
                {text.emptyText}
              </Empty>
            )
          }
        </Part>
      </div>
      {id !== undefined && (
        <AuditDrawer id={id} listed={rows.find((row) => keyOf(row) === id)} close={leave} step={step} />
      )}
    </>
  )
}
