import { Schema } from "effect"
import { isPlain, variantNamed } from "../config/sections/variantNames.ts"
import { weekdays } from "../config/sections/weekdays.ts"
import type { Served } from "../contract/records/Served.ts"
import { imagePrices } from "./imagePrice.ts"
import type { ImagePrices } from "./imagePrice.ts"
import { ratesOf, scale, StepsText } from "./rates.ts"
import type { RatesInUsd, Steps } from "./rates.ts"

/** The prices of one field's values: a factor of all rates of tokens, or rates. */
type Variants = Readonly<Record<string, number | Steps>>

/** A factor in some hours of the week (UTC). */
interface Hours {
  /** Minutes of the day, from (inclusive) and to (exclusive); all day if absent. `from > to` passes midnight. */
  readonly spans?: ReadonlyArray<readonly [from: number, to: number]>
  /** Days of the week, Sunday is 0; each if absent. */
  readonly days?: ReadonlyArray<number>
  readonly factor: number
}

/** The things that decide the rates of an answer's tokens, in this order, after the length of its input. */
export interface Varying {
  readonly tier?: Variants
  readonly speed?: Variants
  readonly geo?: Variants
  /** The first that matches the time when the request arrived. */
  readonly hours?: ReadonlyArray<Hours>
  /** Of the place or the contract, always. */
  readonly factor?: number
  /** The prices of images, if they differ. */
  readonly images?: ImagePrices
}

type StepsInUsd = RatesInUsd & { readonly above?: Readonly<Record<string, RatesInUsd>> | undefined }
type VariantsInUsd = Readonly<Record<string, number | StepsInUsd>>

/** `Varying` as settings write it, in USD. */
export interface VaryingInUsd {
  readonly flex?: number | undefined
  readonly service_tier?: VariantsInUsd | undefined
  readonly speed?: VariantsInUsd | undefined
  readonly inference_geo?: VariantsInUsd | undefined
  readonly hours?: ReadonlyArray<HoursInUsd> | undefined
  readonly factor?: number | undefined
  readonly per_image?: number | Readonly<Record<string, number>> | undefined
}

interface HoursInUsd {
  readonly utc?: ReadonlyArray<string> | undefined
  readonly days?: ReadonlyArray<(typeof weekdays)[number]> | undefined
  readonly factor: number
}

/** Rates with their steps, lowest first. */
export const stepsOf = (usd: StepsInUsd): Steps => ({
  rates: ratesOf(usd),
  tiers: Object.entries(usd.above ?? {})
    .map(([above, rates]) => ({ above: Number(above), rates: ratesOf(rates) }))
    .sort((one, other) => one.above - other.above)
})

/** Undefined if every answer has the same rates. */
export const varyingOf = (usd: VaryingInUsd): Varying | undefined => {
  const tier = variantsOf({ ...(usd.flex !== undefined && { flex: usd.flex }), ...usd.service_tier })
  const speed = variantsOf(usd.speed ?? {})
  const geo = variantsOf(usd.inference_geo ?? {})
  const hours = (usd.hours ?? []).map(hoursOf)
  const images = imagePrices(usd.per_image)
  const varying = {
    ...(tier && { tier }),
    ...(speed && { speed }),
    ...(geo && { geo }),
    ...(hours.length > 0 && { hours }),
    ...(usd.factor !== undefined && usd.factor !== 1 && { factor: usd.factor }),
    ...(images && { images })
  }
  return Object.keys(varying).length === 0 ? undefined : varying
}

const variantsOf = (usd: VariantsInUsd): Variants | undefined => {
  const found = Object.entries(usd).map(
    ([name, price]) => [variantNamed(name), typeof price === "number" ? price : stepsOf(price)] as const
  )
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

const hoursOf = ({ days, factor, utc }: HoursInUsd): Hours => ({
  factor,
  ...(days && { days: days.map((day) => weekdays.indexOf(day)) }),
  ...(utc && {
    spans: utc.map((span): readonly [number, number] => {
      const [from = 0, to = 0] = span.split("-").map(minutesOf)
      return [from, to]
    })
  })
})

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number)
  return hours * 60 + minutes
}

/** Capacity of Vertex that is paid in advance: its tokens cost nothing only where the price says so. */
const paidInAdvance = "provisioned_throughput"

const named = (value: string | undefined): string | undefined => {
  if (value === undefined) return undefined
  const name = variantNamed(value)
  return isPlain(name) ? undefined : name
}

/** True for a tier, a speed or a place that has the model's own rates. */
export const isUsual = (value: string): boolean => named(value) === undefined

const inNames = { tier: "service_tier", speed: "speed", geo: "inference_geo" } as const

/** Something that changed the rates of an answer's tokens. */
export interface Factor {
  /** The field of the price that has it. */
  readonly of: (typeof inNames)[keyof typeof inNames] | "hours" | "factor"
  /** The value that has this price, of a field with several. */
  readonly value?: string
  /** Absent for rates of its own. */
  readonly factor?: number
}

/** The rates of an answer, what changed them, and what it was served as without a price of its own. */
export interface Applied {
  readonly steps: Steps
  readonly factors: ReadonlyArray<Factor>
  /** `service_tier=scale`. */
  readonly gap?: string
}

/**
 * The rates of what was served. Something without a price costs as the dearest known rates of the model.
 *
 * @param atMs when the request arrived; undefined: at the dearest hour
 */
export const apply = (steps: Steps, varying: Varying, served: Served, atMs: number | undefined): Applied => {
  const factors: Array<Factor> = []
  let [applied, gap]: [Steps, string | undefined] = [steps, undefined]
  const take = (factor: Factor, price: number | Steps) => {
    applied = within(applied, price)
    factors.push(typeof price === "number" ? { ...factor, factor: price } : factor)
  }
  for (const dimension of ["tier", "speed", "geo"] as const) {
    const name = named(served[dimension])
    if (name === undefined) continue
    const of = inNames[dimension]
    const variants = varying[dimension]
    const price = variantAt(variants, name)
    if (price === undefined && name === paidInAdvance) continue
    if (price !== undefined) {
      take({ of, value: name }, price)
      continue
    }
    gap ??= `${of}=${served[dimension]?.toLowerCase()}`
    const [value, most] = variants === undefined ? [] : (dearest(applied, variants) ?? [])
    if (value !== undefined && most !== undefined) take({ of, value }, most)
  }
  const hourly = hourlyFactor(varying, atMs)
  if (hourly !== undefined && hourly !== 1) take({ of: "hours" }, hourly)
  if (varying.factor !== undefined) take({ of: "factor" }, varying.factor)
  return { steps: applied, factors, ...(gap !== undefined && { gap }) }
}

/** True if there is a price for a value of a field. */
export const hasVariant = (
  varying: Varying | undefined,
  field: (typeof inNames)[keyof typeof inNames],
  value: string
): boolean => {
  const name = named(value)
  const variants = { service_tier: varying?.tier, speed: varying?.speed, inference_geo: varying?.geo }[field]
  return name === undefined || variantAt(variants, name) !== undefined
}

/** Names come from upstreams: `constructor` is none. */
const variantAt = (variants: Variants | undefined, name: string): number | Steps | undefined =>
  variants !== undefined && Object.hasOwn(variants, name) ? variants[name] : undefined

const within = (steps: Steps, price: number | Steps): Steps => (typeof price === "number" ? scale(steps, price) : price)

/** The dearest of some variants, by input and output; undefined if the plain rates are dearer. */
const dearest = (steps: Steps, variants: Variants): readonly [name: string, price: number | Steps] | undefined => {
  let [found, most]: [readonly [string, number | Steps] | undefined, number] = [undefined, sumOf(steps)]
  for (const variant of Object.entries(variants)) {
    const sum = sumOf(within(steps, variant[1]))
    if (sum > most) [found, most] = [variant, sum]
  }
  return found
}

const sumOf = ({ rates }: Steps): number => rates.input + rates.output

/** All rates that answers may have, of one dimension at a time. */
export interface EveryVariant {
  readonly plain: Steps
  /** By field and value (`service_tier=flex`); hours by their place in the list. */
  readonly named: ReadonlyMap<string, Steps>
}

export const everyVariant = ({ rates, tiers, varying = {} }: Steps & { readonly varying?: Varying }): EveryVariant => {
  const always = (steps: Steps): Steps => (varying.factor === undefined ? steps : scale(steps, varying.factor))
  const named = (["tier", "speed", "geo"] as const).flatMap((dimension) =>
    Object.entries(varying[dimension] ?? {}).map(
      ([value, price]) => [`${inNames[dimension]}=${value}`, always(within({ rates, tiers }, price))] as const
    )
  )
  const hours = (varying.hours ?? []).map(
    ({ factor }, index) => [`hours=${index}`, always(scale({ rates, tiers }, factor))] as const
  )
  return { plain: always({ rates, tiers }), named: new Map([...named, ...hours]) }
}

/** The dearest rates that an answer may have if nothing is known of where it is served. */
export const dearestPlace = (varying: Varying): string | undefined => {
  const places = Object.entries(varying.geo ?? {})
  return places.reduce<readonly [string | undefined, number]>(
    (most, [name, price]) => {
      const factor = typeof price === "number" ? price : Infinity
      return factor > most[1] ? [name, factor] : most
    },
    [undefined, 1]
  )[0]
}

/** The factor of an hour; undefined for the plain rates. @param atMs undefined: the dearest hour */
export const hourlyFactor = ({ hours }: Varying = {}, atMs: number | undefined): number | undefined => {
  if (hours === undefined) return undefined
  if (atMs === undefined) return Math.max(1, ...hours.map(({ factor }) => factor))
  return hours.find((one) => isWithin(one, atMs))?.factor
}

const isWithin = ({ days, spans }: Hours, atMs: number): boolean => {
  const at = new Date(atMs)
  if (days !== undefined && !days.includes(at.getUTCDay())) return false
  const minute = at.getUTCHours() * 60 + at.getUTCMinutes()
  return (
    spans === undefined ||
    spans.some(([from, to]) => (from < to ? minute >= from && minute < to : minute >= from || minute < to))
  )
}

const VariantsText = Schema.Record({ key: Schema.String, value: Schema.Union(Schema.Number, StepsText) })
const optional = <S extends Schema.Schema.All>(schema: S) => Schema.optionalWith(schema, { exact: true })

/** `Varying` in stored JSON. */
export const VaryingText = Schema.Struct({
  tier: optional(VariantsText),
  speed: optional(VariantsText),
  geo: optional(VariantsText),
  hours: optional(
    Schema.Array(
      Schema.Struct({
        spans: optional(Schema.Array(Schema.Tuple(Schema.Number, Schema.Number))),
        days: optional(Schema.Array(Schema.Number)),
        factor: Schema.Number
      })
    )
  ),
  factor: optional(Schema.Number),
  images: optional(Schema.Record({ key: Schema.String, value: Schema.Number }))
})
