import { Schema } from "effect"

/** Dollars to nano-dollars, rounded half up; exact up to nine decimals. */
export const nanoUsd = (usd: number): number => Math.round(Number((usd * 1e9).toPrecision(15)))

/** An amount in stored JSON, whose zeros are left out. */
export const nano = Schema.optionalWith(Schema.Number, { default: () => 0 })

/** One that may be absent. */
export const optionalNano = Schema.optionalWith(Schema.Number, { exact: true })
