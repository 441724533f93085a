import type { AuditRecord } from "../../src/admin/AuditRecord.ts"
import { words } from "../words/words.ts"
import { SmallTable } from "./Table.tsx"
import { When } from "./text.tsx"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value in a few words; amounts in dollars. */
const short = (value: unknown): string => {
  if (value === null || value === undefined) return words.none
  if (isRecord(value)) {
    if (typeof value["usd"] === "string") return `$${value["usd"]}`
    const parts = Object.entries(value).flatMap(([name, part]) =>
      part === null ||
      part === false ||
      part === 0 ||
      (Array.isArray(part) && part.length === 0) ||
      name === "object" ||
      name === "id" ||
      name === "version"
        ? []
        : [`${name.replaceAll("_", " ")} ${short(part)}`]
    )
    return parts.length === 0 ? words.none : parts.join(", ")
  }
  if (Array.isArray(value)) return value.length === 0 ? words.none : value.map(short).join(" ")
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

/** The changes of one record, each with who made it. */
export const AuditLines = ({ records }: { readonly records: ReadonlyArray<AuditRecord> }) => (
  <SmallTable
    isPlain
    label={words.key.changes}
    heads={[["", "quiet", 92], [""]]}
    rows={records.map((record) => [
      <When key="time" at={record.time} suffix="ago" />,
      <>
        {changesOf(record)
          .slice(0, 6)
          .map(([name, before, after]) => (
            <div key={name}>
              {name !== "" && `${name} `}
              {before !== words.none && (
                <>
                  <s class="faint">{before}</s>
                  {" → "}
                </>
              )}
              {after}
            </div>
          ))}
        <div class="faint">
          {record.action}, {record.actor}
        </div>
      </>
    ])}
  />
)
