import { Schema } from "effect"

/** Annotation: the default of a field or variable. */
export const Absent = Symbol.for("gateway/config/sections/Absent")

/** Annotation: the field of the file that a variable overrides. */
export const InFile = Symbol.for("gateway/config/sections/InFile")

/**
 * An optional field. `docs/configuration.md` is generated from its description (`bun run docs`).
 *
 * @param description in Markdown
 * @param absent the default, in Markdown
 */
export const optionalField = <A, I, R>(value: Schema.Schema<A, I, R>, description: string, absent = "") =>
  Schema.optional(value).annotations({ description, [Absent]: absent })

/** A required field. */
export const requiredField = <A, I, R>(value: Schema.Schema<A, I, R>, description: string) =>
  Schema.propertySignature(value).annotations({ description })

/**
 * An environment variable.
 *
 * @param inFile the same setting's field in `gateway.yaml`
 */
export const variable = <A, I, R>(value: Schema.Schema<A, I, R>, description: string, absent = "", inFile = "") =>
  Schema.optional(value).annotations({ description, [Absent]: absent, [InFile]: inFile })
