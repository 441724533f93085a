import { Fragment } from "preact"
import type { AuditChange, AuditRecord } from "../../src/admin/AuditRecord.ts"
import { utc } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { valueText } from "../parts/Change.tsx"
import { CodeBlock } from "../parts/CodeBlock.tsx"
import { Drawer } from "../parts/Drawer.tsx"
import { Part } from "../parts/states.tsx"
import { Table } from "../parts/Table.tsx"
import type { Column } from "../parts/Table.tsx"
import { Copyable, Fact, Facts, Faint, None, Section } from "../parts/text.tsx"
import { PageLink } from "../parts/PageLink.tsx"
import { words } from "../words/words.ts"

const text = words.audit.drawer

interface AuditDrawerProps {
  readonly id: string
  /** The entry, where the list has it. */
  readonly listed: AuditRecord | undefined
  readonly close: () => void
  readonly step: (by: 1 | -1) => void
}

/** An entry of the audit log with every field that it changed. */
export const AuditDrawer = ({ close, id, listed, step }: AuditDrawerProps) => {
  const { client } = useApp()
  const entry = useData(
    async () => listed ?? (await client.admin((admin) => admin.adminOperations.showAudit({ path: { id } }))),
    { by: [id] }
  )
  return (
    <Drawer
      id={id}
      title={<span>{(listed ?? entry.value)?.action ?? words.audit.title}</span>}
      close={close}
      step={step}
    >
      <Part of={entry} what={words.audit.title}>
        {(record) => <Entry {...record} />}
      </Part>
    </Drawer>
  )
}

const pageOf = (action: string): "keys" | "accounts" | "tasks" | undefined => {
  switch (action.split(".")[0]) {
    case "key":
    case "guardrail":
      return "keys"
    case "account":
    case "webhooks":
    case "ledger":
      return "accounts"
    case "task":
      return "tasks"
    default:
      return undefined
  }
}

const Value = ({ is }: { readonly is: unknown }) =>
  is === null ? <None /> : <code class="value">{valueText(is)}</code>

/** A path that is broken after its dots. */
const Field = ({ name }: { readonly name: string }) => (
  <>
    {name.split(/(?<=\.)/).map((part, index) => (
      <Fragment key={index}>
        {part}
        <wbr />
      </Fragment>
    ))}
  </>
)

const columns: ReadonlyArray<Column<AuditChange>> = [
  { head: text.field, look: "wrap", cell: ({ field }) => <Field name={field} /> },
  { head: text.before, look: "wrap", cell: ({ before }) => <Value is={before} /> },
  { head: text.after, look: "wrap", cell: ({ after }) => <Value is={after} /> }
]

const Entry = (record: AuditRecord) => {
  const { account, action, actor, after, before, changes, target, target_name, time } = record
  const page = pageOf(action)
  const name = target_name ?? target
  return (
    <>
      <Section>
        <Facts>
          <Fact name={text.when} isWide>
            {utc(Date.parse(time))}
          </Fact>
          <Fact name={text.who} isWide>
            <Copyable text={actor} />
          </Fact>
          {account !== null && (
            <Fact name={text.account}>
              <PageLink page="accounts" id={account}>
                {account}
              </PageLink>
            </Fact>
          )}
          <Fact name={text.of} isWide>
            {page === undefined ? (
              name
            ) : (
              <PageLink page={page} id={target}>
                {name}
              </PageLink>
            )}
          </Fact>
          {target_name !== null && (
            <Fact name={text.id} isWide>
              <Copyable text={target} />
            </Fact>
          )}
        </Facts>
      </Section>
      <Section title={text.changes}>
        {changes.length === 0 ? (
          <Faint>{words.audit.nothing}</Faint>
        ) : (
          <Table label={text.changes} look="changes" rows={changes} columns={columns} keyOf={({ field }) => field} />
        )}
      </Section>
      {!action.startsWith("configuration.") && (
        <Section>
          <details>
            <summary>{text.states}</summary>
            <CodeBlock label={text.states} snippets={[["JSON", JSON.stringify({ before, after }, null, 2)]]} />
          </details>
        </Section>
      )}
    </>
  )
}
