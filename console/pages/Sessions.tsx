import { useSignal } from "@preact/signals"
import type { SessionRecord } from "../../src/people/signIn/SessionRecord.ts"
import { number, span } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { usePages } from "../hooks/usePages.ts"
import { Button } from "../parts/Button.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Part } from "../parts/states.tsx"
import { Sideways, Table } from "../parts/Table.tsx"
import type { Column } from "../parts/Table.tsx"
import { Faint, PageHead, When } from "../parts/text.tsx"
import { reaches } from "../reaches.ts"
import { words } from "../words/words.ts"

const text = words.sessions

const whoIs = ({ account, key, kind, name }: SessionRecord): string =>
  kind === "operator" ? (name ?? text.operator) : `${account ?? ""} / ${key ?? ""}`

/** The browser and system of a user agent; the whole text if it is unknown. */
const browserOf = (client: string): string => {
  const browser = /(Firefox|Edg|OPR|Chrome|Version)\/[\d]+/.exec(client)?.[0]
  const system = /(Windows|Macintosh|Android|iPhone|iPad|Linux)/.exec(client)?.[0]
  if (browser === undefined) return client
  const name = browser.replace("Edg/", "Edge ").replace("Version/", "Safari ").replace("/", " ")
  return system === undefined ? name : `${name}, ${system}`
}

const facts: ReadonlyArray<Column<SessionRecord>> = [
  {
    head: text.who,
    width: 260,
    look: "whole",
    cell: (row) => (
      <>
        {whoIs(row)}
        {row.current && <Faint>, {text.this}</Faint>}
      </>
    )
  },
  { head: text.role, width: 90, look: "quiet", cell: ({ role }) => role ?? "" },
  {
    head: text.from,
    look: "quiet",
    cell: ({ address, client }) => (
      <span title={client}>
        {address}
        <Faint> {browserOf(client)}</Faint>
      </span>
    )
  },
  { head: text.since, width: 120, look: "quiet no-slim", cell: (row) => <When at={row.created_at} suffix="ago" /> },
  { head: text.used, width: 120, look: "quiet", cell: (row) => <When at={row.last_used_at} suffix="ago" /> },
  { head: text.ends, width: 90, look: "quiet", cell: (row) => span(Date.parse(row.expires_at) - Date.now()) }
]

const columnsFor = (revoke: (row: SessionRecord) => void): ReadonlyArray<Column<SessionRecord>> => [
  ...facts,
  {
    head: text.change,
    width: 90,
    look: "right whole",
    cell: (row) => (
      <Button
        look="small danger"
        needs="adminSessions.revoke"
        label={`${text.revoke} ${whoIs(row)}, ${row.address}`}
        onClick={() => revoke(row)}
      >
        {text.revoke}
      </Button>
    )
  }
]

/** Sessions of the console, and signing them out. */
export const Sessions = () => {
  const { client, session, toast } = useApp()
  const asked = useSignal<SessionRecord | undefined>(undefined)
  const sessions = usePages(
    (after) =>
      client.console((console) => console.adminSessions.list({ urlParams: after === undefined ? {} : { after } })),
    { on: ["session"] }
  )
  const { hasMore, rows } = sessions.value ?? { rows: [], hasMore: false }
  return (
    <>
      <PageHead title={text.title} note={sessions.value && text.count(`${number(rows.length)}${hasMore ? "+" : ""}`)} />
      <div class="page">
        <Part of={sessions} what={text.title}>
          {() => (
            <>
              <Sideways label={text.title}>
                <Table
                  label={text.title}
                  look="stacks"
                  rows={rows}
                  keyOf={({ id }) => id}
                  columns={reaches(session, "adminSessions.revoke") ? columnsFor((row) => (asked.value = row)) : facts}
                />
              </Sideways>
              {hasMore && (
                <p class="more">
                  <Button onClick={() => void sessions.more()}>{text.more}</Button>
                </p>
              )}
              <p class="hint rule">{text.hint}</p>
            </>
          )}
        </Part>
      </div>
      {asked.value !== undefined && (
        <Revoke
          row={asked.value}
          close={() => (asked.value = undefined)}
          revoke={async ({ id }) => {
            await client.console((console) => console.adminSessions.revoke({ path: { id } }))
            toast(text.revoked)
            await sessions.again()
          }}
        />
      )}
    </>
  )
}

const Revoke = ({
  close,
  revoke,
  row
}: {
  readonly row: SessionRecord
  readonly close: () => void
  readonly revoke: (row: SessionRecord) => Promise<void>
}) => (
  <Dialog
    title={text.revokeTitle}
    safe={words.dialog.keep}
    close={close}
    act={{ word: text.revokeSession, isDangerous: true, run: () => revoke(row) }}
  >
    <p>{text.revokeText(whoIs(row), row.address)}</p>
  </Dialog>
)
