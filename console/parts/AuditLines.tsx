import type { AuditRecord } from "../../src/admin/AuditRecord.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"
import { Actor, Change, ChangesLine } from "./Change.tsx"
import { SmallTable } from "./Table.tsx"
import { Faint, When } from "./text.tsx"

/** More are left to the entry's own page. */
const few = 6

const Changed = ({ before, changes }: AuditRecord) =>
  before === null || changes.length > few ? (
    <ChangesLine changes={changes} />
  ) : (
    <>
      {changes.map((change) => (
        <div key={change.field}>
          <Change {...change} />
        </div>
      ))}
    </>
  )

/** Entries of the audit log: what was done, by whom, and each field that it changed. */
export const AuditLines = ({ records }: { readonly records: ReadonlyArray<AuditRecord> }) => (
  <SmallTable
    isPlain
    label={words.key.changes}
    heads={[["", "quiet", 92], [""]]}
    rows={records.map((record) => [
      <When key="time" at={record.time} suffix="ago" />,
      <>
        <div>
          <a href={hrefOf("audit", String(record.id))}>{record.action}</a>
        </div>
        <div>
          <Changed {...record} />
        </div>
        <Faint>
          {record.target_name ?? record.target} · <Actor actor={record.actor} />
        </Faint>
      </>
    ])}
  />
)
