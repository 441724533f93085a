import { Schema } from "effect"

/** Strings that a caller keeps with a record, within OpenAI's bounds. */
export const Metadata = Schema.Record({ key: Schema.String, value: Schema.String })
  .pipe(
    Schema.filter(
      (pairs) =>
        Object.keys(pairs).length <= 16 &&
        Object.entries(pairs).every(([key, value]) => key.length <= 64 && value.length <= 512),
      { description: "at most 16 pairs, of keys of 64 and values of 512 characters at most" }
    )
  )
  .annotations({
    identifier: "Metadata",
    jsonSchema: {
      type: "object",
      maxProperties: 16,
      propertyNames: { maxLength: 64 },
      additionalProperties: { type: "string", maxLength: 512 },
      description: "Strings to keep with it: at most 16, keys of 64 and values of 512 characters at most."
    }
  })
