import { isObject } from "../../contract/json/json.ts"

/** Settings that Claude Code takes over from the gateway it signs in at. */
export interface Policy {
  readonly uuid: string
  /** SHA-256 of the settings as JSON with sorted keys, as the client computes it. */
  readonly checksum: string
  readonly settings: object
}

/** @param settings a `managed-settings.json` (code.claude.com/docs/en/settings) */
export const policyOf = (settings: object): Policy => {
  const digest = Bun.SHA256.hash(JSON.stringify(sort(settings)), "hex")
  return { uuid: uuidOf(digest), checksum: `sha256:${digest}`, settings }
}

const sort = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sort)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sort(inner)])
  )
}

/** The same settings have the same id, on every node. */
const uuidOf = (digest: string): string =>
  [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32)
  ].join("-")
