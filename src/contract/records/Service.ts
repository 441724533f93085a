import { Schema } from "effect"
import { answerField } from "../fields.ts"
import type { CallCounts } from "./HostedCall.ts"
import type { Counts } from "./measures.ts"
import type { Served } from "./Served.ts"

/** The use of a request, and how it was served. */
export type Use = Counts & { readonly served?: Served; readonly calls?: CallCounts }

/**
 * How a request was served, and what of it had no price: members that most requests lack, by their names in rows, in
 * records of the API and in log lines.
 */
export interface Service {
  readonly service_tier?: string | undefined
  readonly speed?: string | undefined
  readonly inference_geo?: string | undefined
  /** Calls of tools that the provider ran. */
  readonly calls?: CallCounts | undefined
  /** The part of it that has no price, as `service_tier=scale`: charged at the dearest known. */
  readonly price_gap?: string | undefined
}

/** The service of a request. Undefined members are left out of JSON. */
export const serviceOf = (
  used: Pick<Use, "served" | "calls" | "searches"> | undefined,
  priceGap: string | undefined
): Service => {
  const { calls, searches = 0, served } = used ?? {}
  if (served === undefined && calls === undefined && searches === 0 && priceGap === undefined) return nothing
  const tier = served?.tier ?? served?.committed
  return {
    service_tier: tier && word(tier),
    speed: served?.speed && word(served.speed),
    inference_geo: served?.geo && word(served.geo),
    calls: allCalls(searches, calls),
    price_gap: priceGap
  }
}

const nothing: Service = {}

/** All calls: searches have a column of their own. Undefined if there is none. */
const allCalls = (searches: number, calls: CallCounts | undefined): CallCounts | undefined =>
  searches > 0 ? { web_search: searches, ...calls } : calls

/** An upstream's word as it is stored: of any length and any characters before. */
export const word = (text: string): string => text.slice(0, longest).toWellFormed().replaceAll("\0", "�")
const longest = 40

/** Calls of an answer, by tool: also of tools that a newer gateway knows. */
export const Calls = Schema.Record({ key: Schema.String, value: Schema.Number })

/** `Service` in stored JSON. */
export const storedService = {
  service_tier: Schema.optional(Schema.String),
  speed: Schema.optional(Schema.String),
  inference_geo: Schema.optional(Schema.String),
  calls: Schema.optional(Calls),
  price_gap: Schema.optional(Schema.String)
}

const text = (description: string) => Schema.optional(answerField(Schema.NullOr(Schema.String), description))

/** `Service` in the API's records. Absent in answers of an older gateway to the command line. */
export const serviceFields = {
  service_tier: text("The tier that served it, as its upstream says; null if it says none."),
  speed: text("The speed at which it was served, as its upstream says."),
  inference_geo: text("The place of inference, as its upstream says."),
  calls: Schema.optional(
    answerField(Calls, 'Calls of tools that its upstream ran: `{"web_search": 2, "image_generation": 1}`.')
  ),
  price_gap: text(
    "What it was served as, or used, that has no price (`service_tier=scale`): it is charged at the dearest known price; null if there is nothing."
  )
}

/** A stored service as the API shows it. */
export const shownService = ({ calls, inference_geo, price_gap, service_tier, speed }: Stored, searches: number) => ({
  service_tier: service_tier ?? null,
  speed: speed ?? null,
  inference_geo: inference_geo ?? null,
  calls: calls ?? allCalls(searches, undefined) ?? {},
  price_gap: price_gap ?? null
})

type Stored = {
  readonly [Name in keyof Service]?:
    | (Name extends "calls" ? Readonly<Record<string, number>> : string)
    | null
    | undefined
}

/** Its members, which are columns of `usage` and of CSV. */
export const serviceNames = ["service_tier", "speed", "inference_geo", "calls", "price_gap"] as const
export type ServiceName = (typeof serviceNames)[number]

/** A member of a service in CSV: calls as JSON. */
export const serviceCell = (value: string | Readonly<Record<string, number>> | null | undefined): string =>
  typeof value === "string" ? value : value && Object.keys(value).length > 0 ? JSON.stringify(value) : ""

/** Calls in words: `2 web_search, 1 image_generation`. */
export const callsText = (calls: Readonly<Record<string, number>>): string =>
  Object.entries(calls)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ")
