import { Schema } from "effect"

/**
 * An optional field that treats `null` as absent, since client libraries send null for omitted fields. A plain union
 * without a transformation, so that decoding a long history only validates; read it with `??`.
 */
export const maybe = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optional(Schema.NullOr(schema))

/** A required field with a description for the docs. Error messages still use the schema's own description (`describe.ts`). */
export const required = <S extends Schema.Schema.Any>(schema: S, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

/** An answer's field with a description for the docs. */
export const answerField = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string): Schema.Schema<A, I, R> =>
  schema.annotations({ description })

/** An integer in a range; error messages and docs name the range. */
export const integer = (minimum: number, maximum?: number) =>
  Schema.Number.pipe(
    Schema.filter((value) => Number.isSafeInteger(value) && value >= minimum && value <= (maximum ?? Infinity), {
      description:
        maximum === undefined ? `an integer of ${minimum} or more` : `an integer between ${minimum} and ${maximum}`,
      jsonSchema: { type: "integer", minimum, ...(maximum === undefined ? {} : { maximum }) }
    })
  )

/** JSON that the gateway does not interpret (tool arguments, JSON Schemas, metadata). */
export const JsonObject = Schema.Record({ key: Schema.String, value: Schema.Unknown })
export type JsonObject = typeof JsonObject.Type

/** Like `Schema.is(JsonObject)` without visiting every key; false for an exact integer (`parseExactly`). */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
