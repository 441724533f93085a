/*
 * The rules of a price, from their description alone and in exact decimals: nothing of `src` is imported here, so that a
 * mistake there is not repeated. Rates are nano-dollars per million tokens.
 */

export const kinds = ["input", "cached", "written", "written_1h", "written_12h", "output", "reasoning"] as const
export type Kind = (typeof kinds)[number]
export const modalities = ["text", "audio", "image", "video"] as const
export type Modality = (typeof modalities)[number]

/** Tokens that one run of one model read or wrote. */
export interface Tokens {
  readonly kind: Kind
  readonly modality: Modality
  readonly count: number
}
/** A further run of the same request: a compaction, an advisor, a tool's model. */
export interface Run {
  /** A model with a price of its own; otherwise the request's. */
  readonly model?: string | undefined
  readonly tokens: ReadonlyArray<Tokens>
}
export interface Usage {
  readonly tokens: ReadonlyArray<Tokens>
  readonly runs?: ReadonlyArray<Run> | undefined
  /** Calls by tool. */
  readonly calls?: Readonly<Record<string, number>> | undefined
  /** What the provider says that it charged, in USD. */
  readonly toldUsd?: string | undefined
}
export interface Served {
  readonly tier?: string | null | undefined
  readonly speed?: string | null | undefined
  readonly geo?: string | null | undefined
}

type Json = Readonly<Record<string, unknown>>
/** A fraction, not negative. */
interface Decimal {
  readonly over: bigint
  readonly under: bigint
}
type Rates = Readonly<Record<Kind, Readonly<Record<Modality, bigint>>>>

const billion = 1_000_000_000n

/** The cost of a request in nano-dollars. */
export const referenceCost = (
  price: Json,
  usage: Usage,
  served: Served,
  arrived: Date,
  otherPrices: Readonly<Record<string, Json>> = {}
): bigint => {
  if (price["told"] === true && usage.toldUsd !== undefined) return rounded(nano(usage.toldUsd))
  const runs: ReadonlyArray<Run> = [{ tokens: usage.tokens }, ...(usage.runs ?? [])]
  // Nano-dollars times a million; the request is rounded once.
  const millionths = runs.reduce((sum, { model, tokens }) => {
    // A model without a price is never free.
    const own = (model === undefined ? undefined : otherPrices[model]) ?? price
    return sum + dearest(own, tokens, served, arrived)
  }, 0n)
  const pieces = Object.entries(usage.calls ?? {}).map(([tool, count]) => callsCost(price, tool, count))
  const whole = [{ over: millionths, under: 1_000_000n }, ...pieces, nano(price["per_request"] ?? 0)]
  return rounded(whole.reduce(plus))
}

/** The cost of tokens: what names no known row costs as the dearest that is known. */
const dearest = (price: Json, tokens: ReadonlyArray<Tokens>, served: Served, arrived: Date): bigint => {
  const tiers: Json = { ...(price["flex"] !== undefined && { flex: price["flex"] }), ...object(price["service_tier"]) }
  const sums = rowsFor(served.tier, tiers, tierName).flatMap((tier) =>
    rowsFor(served.speed, object(price["speed"])).flatMap((speed) =>
      rowsFor(served.geo, object(price["inference_geo"])).map((geo) => {
        const rates = ratesOf(price, [tier, speed, geo], arrived, inputOf(tokens))
        return tokens.reduce((sum, { count, kind, modality }) => sum + BigInt(count) * rates[kind][modality], 0n)
      })
    )
  )
  return sums.reduce((one, other) => (one > other ? one : other))
}

const baseNames = ["", "standard", "default", "on_demand", "auto", "standard_only", "global", "not_available"]
/** A place's or a speed's name; empty for those with the model's own rates. */
export const plainName = (name: string | null | undefined) => {
  const lower = (name ?? "").toLowerCase()
  return baseNames.includes(lower) ? "" : lower
}
/** A tier's name: `priority` and `fast` are one price. */
export const tierName = (name: string | null | undefined) => {
  const plain = plainName(name)
  return plain === "fast" ? "priority" : plain
}

/** The rows that may apply: the named one, the plain one (1), or all of them for a name that has none. */
const rowsFor = (served: string | null | undefined, rows: Json, nameOf = plainName): ReadonlyArray<unknown> => {
  const name = nameOf(served)
  if (name === "") return [1]
  const known = Object.entries(rows).filter(([key]) => nameOf(key) === name)
  // `flex` is the short form: a row of the same name replaces it.
  return known.length > 0 ? known.slice(-1).map(([, row]) => row) : [1, ...Object.values(rows)]
}

/** `above` chooses the row, then tier, speed, place, hours and the last factor: each product is rounded. */
const ratesOf = (price: Json, dimensions: ReadonlyArray<unknown>, arrived: Date, input: number): Rates => {
  let rates = rowOf(price, input)
  for (const one of [...dimensions, hourFactor(price["hours"], arrived), price["factor"] ?? 1]) {
    const own = object(one)
    // Rates of their own replace the row, and bring their own `above`.
    rates = Object.keys(own).length > 0 ? rowOf(own, input) : scaled(rates, decimal(String(one)))
  }
  return rates
}

const rowOf = (rates: Json, input: number): Rates => {
  const steps = Object.entries(object(rates["above"])).filter(([step]) => input > Number(step))
  const [top] = steps.toSorted(([one], [other]) => Number(other) - Number(one))
  return textRates(top === undefined ? rates : object(top[1]))
}

const textRates = (rates: Json): Rates => {
  const first = (...names: ReadonlyArray<string>) => names.map((name) => rates[name]).find((rate) => rate !== undefined)
  const of = (media: "input" | "cached_input" | "output" | undefined, ...names: ReadonlyArray<string>) => {
    const text = perMillion(first(...names))
    const other = (modality: Modality) => {
      const own = media === undefined ? undefined : object(rates[modality])[media]
      return own === undefined ? text : perMillion(own)
    }
    return { text, audio: other("audio"), image: other("image"), video: other("video") }
  }
  return {
    input: of("input", "input"),
    cached: of("cached_input", "cached_input", "input"),
    written: of(undefined, "cache_write", "input"),
    written_1h: of(undefined, "cache_write_1h", "cache_write", "input"),
    written_12h: of(undefined, "cache_write_12h", "cache_write", "input"),
    output: of("output", "output"),
    reasoning: of(undefined, "reasoning", "output")
  }
}

const scaled = (rates: Rates, factor: Decimal): Rates => {
  const by = (kind: Kind) => {
    const { audio, image, text, video } = rates[kind]
    const product = (rate: bigint) => rounded(times(factor, rate))
    return { text: product(text), audio: product(audio), image: product(image), video: product(video) }
  }
  return {
    input: by("input"),
    cached: by("cached"),
    written: by("written"),
    written_1h: by("written_1h"),
    written_12h: by("written_12h"),
    output: by("output"),
    reasoning: by("reasoning")
  }
}

/** The whole input chooses the row: read from the cache and written to it too. */
const inputOf = (tokens: ReadonlyArray<Tokens>): number =>
  tokens.reduce((sum, { count, kind }) => sum + (kind === "output" || kind === "reasoning" ? 0 : count), 0)

const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

/** The first window that matches: from inclusive, to exclusive, over midnight too. */
const hourFactor = (hours: unknown, arrived: Date): unknown => {
  const minute = arrived.getUTCHours() * 60 + arrived.getUTCMinutes()
  const fits = (window: string) => {
    const [from = 0, to = 0] = window.split("-").map((time) => {
      const [hour, minutes] = time.split(":")
      return Number(hour) * 60 + Number(minutes)
    })
    return from < to ? minute >= from && minute < to : minute >= from || minute < to
  }
  for (const one of list(hours).map(object)) {
    const onDay = one["days"] === undefined || list(one["days"]).includes(dayNames[arrived.getUTCDay()])
    const inTime = one["utc"] === undefined || list(one["utc"]).some((window) => fits(String(window)))
    if (onDay && inTime) return one["factor"]
  }
  return 1
}

/** Pieces have no factors. */
const callsCost = (price: Json, tool: string, count: number): Decimal => {
  const row = object(price["per_call"])[tool] ?? (tool === "web_search" ? price["per_search"] : undefined) ?? 0
  const { once, usd = row } = object(row)
  return times(nano(usd), BigInt(once === true ? Math.min(count, 1) : count))
}

const decimal = (text: string): Decimal => {
  const [digits = "", exponent = "0"] = text.toLowerCase().split("e")
  const [whole = "", part = ""] = digits.split(".")
  const power = Number(exponent) - part.length
  const over = BigInt(whole + part)
  return power < 0 ? { over, under: 10n ** BigInt(-power) } : { over: over * 10n ** BigInt(power), under: 1n }
}
const times = ({ over, under }: Decimal, by: bigint): Decimal => ({ over: over * by, under })
const plus = (one: Decimal, other: Decimal): Decimal => ({
  over: one.over * other.under + other.over * one.under,
  under: one.under * other.under
})
/** Half up. */
const rounded = ({ over, under }: Decimal): bigint => (2n * over + under) / (2n * under)
const nano = (usd: unknown): Decimal => times(decimal(String(usd)), billion)
const perMillion = (usd: unknown): bigint => rounded(nano(usd ?? 0))

const object = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {}
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
