import { Schema } from "effect"

/** The annotation for what holds where a field or variable is left out. */
export const Absent = Symbol.for("gateway/config/sections/Absent")

/** The annotation for the field of the file that a variable wins over. */
export const InFile = Symbol.for("gateway/config/sections/InFile")

/**
 * A field that may be left out. What is said of it here is its row in `docs/configuration.md` (`bun run docs`), in Markdown.
 *
 * @param absent what holds where it is left out
 */
export const given = <A, I>(value: Schema.Schema<A, I>, description: string, absent = "") =>
  Schema.optional(value).annotations({ description, [Absent]: absent })

/** A field that has to be there. */
export const needed = <A, I>(value: Schema.Schema<A, I>, description: string) =>
  Schema.propertySignature(value).annotations({ description })

/**
 * A variable of the environment.
 *
 * @param inFile the field that says the same in `gateway.yaml`
 */
export const variable = <A, I>(value: Schema.Schema<A, I>, description: string, absent = "", inFile = "") =>
  Schema.optional(value).annotations({ description, [Absent]: absent, [InFile]: inFile })
