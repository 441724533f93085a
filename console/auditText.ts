import type { AuditRecord } from "../src/admin/AuditRecord.ts"
import type { App } from "./app.ts"
import { faint, smallTable, when } from "./components/bits.ts"
import { h } from "./dom.ts"
import type { Child } from "./dom.ts"
import { words } from "./words/words.ts"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value in a few words; amounts in dollars. */
const short = (value: unknown): string => {
  if (value === null || value === undefined) return words.none
  if (isRecord(value)) {
    if (typeof value["usd"] === "string") return `$${value["usd"]}`
    const parts = Object.entries(value).flatMap(([name, part]) =>
      part === null || part === false || part === 0 || name === "object" || name === "id" || name === "version"
        ? []
        : [`${name.replaceAll("_", " ")} ${short(part)}`]
    )
    return parts.length === 0 ? words.none : parts.join(", ")
  }
  if (Array.isArray(value)) return value.map(short).join(" ")
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** The differences between two states: field name and both values. */
const changesOf = ({
  after,
  before
}: Pick<AuditRecord, "after" | "before">): ReadonlyArray<readonly [name: string, before: string, after: string]> => {
  if (!isRecord(before) || !isRecord(after) || !Object.keys(after).some((name) => name in before)) {
    return [["", before === null || before === undefined ? words.none : short(before), short(after)]]
  }
  // The revision number is not a change of its own.
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => name !== "version")
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return changed.map((name) => [name.replaceAll("_", " "), short(before[name]), short(after[name])])
}

export const beforeAndAfter = (record: AuditRecord): readonly [before: Child, after: Child] => {
  const changes = changesOf(record)
  const line = (name: string, value: Child) => h("div", { class: "cut" }, name !== "" && faint(name, " "), value)
  return [
    changes.map(([name, before]) =>
      line(name, before === words.none ? faint(words.none) : h("s", { class: "faint" }, before))
    ),
    changes.map(([name, , after]) => line(name, after))
  ]
}

/** The changes of one record, in its drawer. */
export const auditLines = (app: App, records: ReadonlyArray<AuditRecord>): Child =>
  smallTable(
    [["", "quiet", 92], [""]],
    records.map((record) => [
      when(app, record.time, "ago"),
      [
        changesOf(record)
          .slice(0, 6)
          .map(([name, before, after]) =>
            h(
              "div",
              {},
              name,
              name !== "" && " ",
              before !== words.none && [h("s", { class: "faint" }, before), " → "],
              after
            )
          ),
        h("div", { class: "faint" }, record.action, ", ", record.actor)
      ]
    ]),
    { isPlain: true, label: words.key.changes }
  )
