import { Schema } from "effect"

/**
 * An optional field for which an explicit `null` means absent: client libraries send null for what a user left out.
 * It stays a plain union, without a transformation, so that decoding a long history only validates; read it with `??`.
 */
export const maybe = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optional(Schema.NullOr(schema))

/** A required field with a description for the docs, which leaves the schema its own words for messages (`describe.ts`). */
export const required = <S extends Schema.Schema.Any>(schema: S, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

/** A field of an answer with a description for the docs. */
export const said = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string): Schema.Schema<A, I, R> =>
  schema.annotations({ description })

/** Whole numbers in a range, which messages and docs name. */
export const integer = (minimum: number, maximum?: number) =>
  Schema.Number.pipe(
    Schema.filter((value) => Number.isSafeInteger(value) && value >= minimum && value <= (maximum ?? Infinity), {
      description:
        maximum === undefined ? `an integer of ${minimum} or more` : `an integer between ${minimum} and ${maximum}`,
      jsonSchema: { type: "integer", minimum, ...(maximum === undefined ? {} : { maximum }) }
    })
  )

/** JSON the gateway carries without looking inside (tool arguments, JSON Schemas, metadata). */
export const JsonObject = Schema.Record({ key: Schema.String, value: Schema.Unknown })
export type JsonObject = typeof JsonObject.Type

/** As `Schema.is(JsonObject)` says it, without looking at every key; an exact integer (`parseExactly`) is none. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
