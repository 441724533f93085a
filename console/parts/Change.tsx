import type { AuditChange, AuditRecord } from "../../src/admin/AuditRecord.ts"
import { words } from "../words/words.ts"
import { Faint } from "./text.tsx"

const text = words.audit

/** A value of a field: texts as they are, anything else as JSON. */
export const valueText = (value: unknown): string =>
  value === null ? words.none : typeof value === "string" ? value : JSON.stringify(value)

/** `limits.requests_per_minute 60 → 120` */
export const Change = ({ after, before, field }: AuditChange) => (
  <>
    <Faint>{field}</Faint> {before !== null && <s class="faint">{valueText(before)}</s>}
    {before !== null && " → "}
    {after === null ? <Faint>{words.none}</Faint> : valueText(after)}
  </>
)

/** An entry's changes, in a line. */
export const ChangesLine = ({ changes }: Pick<AuditRecord, "changes">) => {
  const [first, ...others] = changes
  return first === undefined ? (
    <Faint>{text.nothing}</Faint>
  ) : (
    <>
      <Change {...first} />
      {others.length > 0 && <Faint> {text.more(others.length)}</Faint>}
    </>
  )
}

/** The author of a change: a file by its name, a session of the console by the end of its id. */
export const Actor = ({ actor }: Pick<AuditRecord, "actor">) => {
  if (actor.startsWith("session_")) {
    return (
      <span title={actor}>
        {text.console} <Faint>{actor.slice(-4)}</Faint>
      </span>
    )
  }
  return actor.startsWith("file:") ? <span title={actor}>{actor.split(/[:/]/).at(-1)}</span> : <>{actor}</>
}
