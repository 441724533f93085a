import { Redacted } from "effect"

/** Part of a configuration as text with its secrets, for comparison only: `JSON.stringify` would hide them. */
export const spelt = (value: unknown): string => JSON.stringify(open(value)) ?? ""

const open = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return Redacted.value(value)
  if (Array.isArray(value)) return value.map(open)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, open(part)]))
}
