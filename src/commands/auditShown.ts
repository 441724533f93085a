import type { AuditChange, AuditRecord } from "../admin/AuditRecord.ts"
import { shortTime } from "./options.ts"
import { listTable, oneLine, shorten, terminalWidth } from "./table.ts"

/** The narrowest terminal with room for what was changed beside who did it. */
const roomy = 120

/**
 * A line for each change, two in a narrow terminal; `wide` shows whole ids and all that was changed.
 *
 * @param width the terminal's width; undefined if there is none
 */
export const auditTable = (
  records: ReadonlyArray<AuditRecord>,
  wide: boolean,
  width: number | undefined = terminalWidth()
): string => (wide || width === undefined || width >= roomy ? inLines(records, wide) : inTwoLines(records, width))

const inTwoLines = (records: ReadonlyArray<AuditRecord>, width: number): string =>
  records
    .flatMap(({ action, actor, changes, target, target_name, time }) => [
      `${shortTime(time)}  ${shortActor(actor)}  ${action}  ${oneLine(target_name ?? target)}`,
      ...(changes.length === 0 ? [] : [`  ${oneLine(changes.map(changeShown).join(", "))}`])
    ])
    .map((line) => shorten(line, width))
    .join("\n")

const inLines = (records: ReadonlyArray<AuditRecord>, wide: boolean): string =>
  listTable(
    ["ID", "TIME", "WHO", "WHAT", "OF", "TARGET", "ACCOUNT", "CHANGED"],
    records.map((record) => [
      String(record.id),
      shortTime(record.time),
      wide ? record.actor : shortActor(record.actor),
      record.action,
      record.target_name ?? record.target,
      record.target,
      record.account ?? "",
      record.changes.map(changeShown).join(", ")
    ]),
    { ids: ["TARGET"], rare: ["TARGET", "ACCOUNT", "ID"], wide }
  )

/** A change with a line for each field. A line is cut to the terminal's width unless it is `wide`. */
export const auditShown = (record: AuditRecord, wide: boolean): string => {
  const { account, action, actor, changes, id, target, target_name, time } = record
  const named = target_name === null ? target : `${target_name} (${target}, account ${account ?? "unknown"})`
  const width = wide ? undefined : terminalWidth()
  const lines = changes.map((change) => `  ${oneLine(changeShown(change))}`)
  return [`${id}  ${shortTime(time)}  ${actor}  ${action}  ${oneLine(named)}`, ...lines]
    .map((line) => (width === undefined ? line : shorten(line, width)))
    .join("\n")
}

/** `limits.requests_per_minute 60 → 120` */
const changeShown = ({ after, before, field }: AuditChange): string =>
  before === null ? `${field} ${valueShown(after)}` : `${field} ${valueShown(before)} → ${valueShown(after)}`

const valueShown = (value: unknown): string =>
  value === null ? "none" : typeof value === "string" ? value : JSON.stringify(value)

/** A file by its name alone, a session by the beginning of its id. */
const shortActor = (actor: string): string =>
  actor.startsWith("file:") ? `file:${actor.slice("file:".length).split("/").at(-1) ?? ""}` : shorten(actor, 16)
