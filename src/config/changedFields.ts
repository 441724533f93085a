import { Redacted } from "effect"
import { parse } from "yaml"
import { maskSecrets, namesSecret } from "./maskSecrets.ts"
import { spelt } from "./spelt.ts"

/** Values by their path (`upstreams.house.api_key`), before and after; null where there is none. */
export interface ChangedFields {
  readonly before: Readonly<Record<string, unknown>>
  readonly after: Readonly<Record<string, unknown>>
}

/** More changed fields than this are only counted. */
const most = 200

/** Characters of a value; longer ones are cut. */
const longest = 1_000

/** The fields that differ between two configurations, without secrets; undefined if none do. */
export const changedFields = (before: object, after: object): ChangedFields | undefined => {
  const [former, next] = [leaves(before), leaves(after)]
  const changed = [...new Set([...former.keys(), ...next.keys()])].filter(
    (path) => spelt(former.get(path)) !== spelt(next.get(path))
  )
  if (changed.length === 0) return undefined
  const rest = changed.length > most ? { "…": `${changed.length - most} more fields` } : {}
  const shown = changed.slice(0, most)
  return {
    before: Object.fromEntries(
      shown.map((path) => [path, shorten(withoutSecrets(former.get(path), "[secret]", path))])
    ),
    after: {
      ...Object.fromEntries(
        shown.map((path) => [path, shorten(withoutSecrets(next.get(path), "[another secret]", path))])
      ),
      ...rest
    }
  }
}

/** The first fields of a configuration, without secrets. */
export const maskedFields = (value: object, most: number): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...leaves(value)].slice(0, most).map(([path, part]) => [path, shorten(withoutSecrets(part, "[secret]", path))])
  )

/** The same of two documents as they are written, with references to variables (`${NAME}`). */
export const changedText = (before: string, after: string): ChangedFields | undefined =>
  changedFields(read(before), read(after))

const read = (text: string): object => {
  const value: unknown = parse(text, { uniqueKeys: false })
  return typeof value === "object" && value !== null ? value : {}
}

/** Values that hold no named parts, by path. Entries of a list are named by their `name`; other lists are one value. */
export const leaves = (value: unknown, path = "", found = new Map<string, unknown>()): ReadonlyMap<string, unknown> => {
  const parts = partsOf(value)
  if (parts === undefined) {
    if (value !== undefined) found.set(path, value)
  } else {
    for (const [name, part] of parts) leaves(part, path === "" ? name : `${path}.${name}`, found)
  }
  return found
}

const partsOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> | undefined => {
  if (typeof value !== "object" || value === null || Redacted.isRedacted(value)) return undefined
  if (!Array.isArray(value)) return Object.entries(value)
  const named = value.map((entry: unknown) => [nameOf(entry), entry] as const)
  return named.length > 0 && named.every(isNamed) ? named : undefined
}

const isNamed = (entry: readonly [string | undefined, unknown]): entry is readonly [string, unknown] =>
  entry[0] !== undefined

const nameOf = (entry: unknown): string | undefined => {
  const name: unknown = typeof entry === "object" && entry !== null ? Reflect.get(entry, "name") : undefined
  return typeof name === "string" ? name : undefined
}

const withoutSecrets = (value: unknown, secret: string, name: string): unknown => {
  if (value === undefined) return null
  if (Redacted.isRedacted(value)) return secret
  if (Array.isArray(value)) return value.map((part) => withoutSecrets(part, secret, name))
  if (typeof value === "string")
    return namesSecret(name) && !value.startsWith("${") ? secret : maskSecrets(value, secret)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutSecrets(part, secret, name)]))
}

const shorten = (value: unknown): unknown => {
  const text = JSON.stringify(value)
  return text.length <= longest ? value : `${text.slice(0, longest)}…`
}
