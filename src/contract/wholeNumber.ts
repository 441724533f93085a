import { Schema } from "effect"

/** Digits only: `Number` would accept `1e3`, `0x10` and a space. */
const Digits = Schema.transform(Schema.String, Schema.Number, {
  strict: true,
  decode: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : NaN),
  encode: String
})

/** An integer in a query, written in digits. */
export const wholeNumber = (least: number, most?: number) =>
  Digits.pipe(
    Schema.filter((value) => value >= least && value <= (most ?? Number.MAX_SAFE_INTEGER), {
      description: most === undefined ? `an integer of ${least} or more` : `an integer from ${least} to ${most}`,
      jsonSchema: { type: "integer", minimum: least, ...(most === undefined ? {} : { maximum: most }) }
    })
  )
