import { listAt, objectAt } from "../contract/json/json.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { CarriedField } from "../generation/Conversation.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import { UpstreamError } from "../upstreams/UpstreamError.ts"

/**
 * A part of a request that a `Conversation` cannot express. Upstreams of the request's dialect get it, others do
 * without.
 */
export interface Unsupported {
  /** The caller's name of the parameter (`text.verbosity`). */
  readonly param: string
  /** The reason that the request is pointless without it; undefined if it can be dropped. */
  readonly refusal?: string
  /** The conversation's field for it, which some upstreams have. */
  readonly carriedAs?: CarriedField
  /** True if the gateway does not know the field. */
  readonly unknown?: true
}

/** The parts that an upstream does not get. */
export const leftOutAt = (
  unsupported: ReadonlyArray<Unsupported>,
  { carries }: Pick<TextUpstream, "carries">
): ReadonlyArray<Unsupported> =>
  unsupported.filter(({ carriedAs }) => carriedAs === undefined || carries?.has(carriedAs) !== true)

/** The reason that an upstream of another dialect cannot serve the request; undefined if it can. */
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

/** Refuses a request of whose tools none is left: an agent that gets words in place of calls does not see why. */
export const noToolLeft = (types: ReadonlyArray<string>): Unsupported => ({
  param: "tools",
  refusal:
    `tools: this model's upstream runs none of them (${[...new Set(types)].slice(0, mostTypes).join(", ")}); ` +
    "leave them out, or ask a model that runs them"
})

const mostTypes = 8

/** The non-empty fields of an object that are not known. */
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

/** True if a part of the messages or items has one of OpenAI's cache breakpoints. */
export const hasBreakpoints = (messages: ReadonlyArray<unknown>): boolean =>
  messages.some((message) =>
    listAt(message, "content").some((part) => objectAt(part, "prompt_cache_breakpoint") !== undefined)
  )

const mostNames = 16
const longestName = 64

/** True for values without meaning: absent, off, empty. */
const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  (Array.isArray(value) ? value.length === 0 : typeof value === "object" && isEmpty(value))

/** Looks at one key: `Object.keys` could return hundreds of thousands. */
const isEmpty = (value: object): boolean => {
  for (const _ in value) return false
  return true
}
