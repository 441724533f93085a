import { Schema } from "effect"

/**
 * An optional field for which an explicit `null` means absent: client libraries send null for what a user left out.
 * It stays a plain union, without a transformation, so that decoding a long history only validates; read it with `??`.
 */
export const maybe = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optional(Schema.NullOr(schema))

/** JSON the gateway carries without looking inside (tool arguments, JSON Schemas, metadata). */
export const JsonObject = Schema.Record({ key: Schema.String, value: Schema.Unknown })
export type JsonObject = typeof JsonObject.Type
