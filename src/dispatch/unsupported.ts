import { InvalidRequest } from "../contract/Failure.ts"
import { UpstreamError } from "../upstreams/UpstreamError.ts"

/**
 * Something a request asks for in its own dialect that a `Conversation` does not say: an upstream of the dialect gets
 * it, every other one has to do without.
 */
export interface Unsupported {
  /** The caller's name for it (`text.verbosity`). */
  readonly param: string
  /** Why the request makes no sense without it; undefined where it can be left out. */
  readonly refusal?: string
  /** Not a field the gateway knows: its name is the caller's invention, or tomorrow's API. */
  readonly unknown?: true
}

/** Why an upstream of another dialect can't be asked; undefined where it can. One of the caller's own still might be. */
export const unsupportedError = (
  unsupported: ReadonlyArray<Unsupported>,
  strict: boolean
): UpstreamError | undefined => {
  const first = unsupported.find(({ refusal }) => strict || refusal !== undefined)
  if (first === undefined) return undefined
  const { param, refusal = `${param}: not supported as asked by this model's upstream` } = first
  return new UpstreamError({
    failure: new InvalidRequest({ param, message: refusal }),
    retry: "elsewhere",
    retryAfterMs: undefined,
    status: undefined,
    keptBack: true
  })
}

/** The fields of an object that hold something and are not among the known ones. */
export const unknownFields = (value: unknown, known: ReadonlySet<string>, at = ""): Array<Unsupported> => {
  if (typeof value !== "object" || value === null) return []
  const found: Array<Unsupported> = []
  for (const name in value) {
    if (known.has(name) || isNothing(Reflect.get(value, name))) continue
    found.push({ param: at + name.slice(0, longestName), unknown: true })
    if (found.length === mostNames) break
  }
  return found
}

const mostNames = 16
const longestName = 64

/** What says nothing: absent, off, empty. */
const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  (Array.isArray(value) ? value.length === 0 : typeof value === "object" && isEmpty(value))

/** Looks at one key: the names of hundreds of thousands would be made for nothing. */
const isEmpty = (value: object): boolean => {
  for (const _ in value) return false
  return true
}
