import { resolve } from "node:path"
import { Context, Effect, Either, ParseResult, Redacted, Schema } from "effect"
import { describe } from "../contract/describe.ts"
import { isObject, parseJson } from "../contract/json/json.ts"
import { mostOfSecret } from "../flow/RegularFiles.ts"
import { readFile, stampOf } from "./watchedFile.ts"
import type { Stamps } from "./watchedFile.ts"

/** Reads files that hold one secret each. */
export interface SecretReader {
  /** The text without trailing blanks and line breaks, or a message that names the file. */
  readonly read: (path: string) => Effect.Effect<string, string>
  /** The files that were read. A change of one is a change of the configuration. */
  readonly files: Stamps
}

/** Reads the `{ file }` references of a document. */
export class SecretFiles extends Context.Tag("gateway/config/SecretFiles")<SecretFiles, SecretReader>() {}

/**
 * In place of a secret that is not here, for commands that ask no upstream. It passes for an address and for a key.
 */
export const notHere = "http://unset.invalid/not-needed-here"

/**
 * @param folder base of relative paths
 * @param isNeeded false: a file that can't be read gives {@link notHere}
 */
export const secretReader = (folder: string, isNeeded = true): SecretReader => {
  const files = new Map<string, string | undefined>()
  const read = Effect.fnUntraced(
    function* (path: string) {
      const file = resolve(folder, path)
      const stamp = yield* stampOf(file)
      // The first of several readings counts: a change between two of them is one that the next look has to find.
      if (!files.has(file)) files.set(file, stamp)
      const text = (yield* readFile(file, mostOfSecret)).trimEnd()
      return text === "" ? yield* Effect.fail(`the file ${path} is empty`) : text
    },
    (reading, path) =>
      Effect.catchTag(reading, "UnreadableFile", ({ reason }) =>
        isNeeded ? Effect.fail(`the file ${path} can't be read (${reason})`) : Effect.succeed(notHere)
      )
  )
  return { read, files }
}

/** A secret in a document: text, or `{ file }` with the path of a file that holds it. Redacted as soon as it is read. */
export const secretOf = (rule: Schema.Schema<string>) => {
  const valid = ParseResult.decodeUnknownEither(rule)
  const check = (text: string) =>
    Either.mapBoth(valid(text), {
      onLeft: (issue) => describe(issue).message,
      onRight: (value) => Redacted.make(value)
    })
  return Schema.transformOrFail(
    Schema.Union(Schema.String, Schema.Struct({ file: Schema.NonEmptyString })),
    Schema.RedactedFromSelf(Schema.String),
    {
      strict: true,
      decode: (given, _, ast) => {
        const refuse = (message: string) => new ParseResult.Forbidden(ast, given, message)
        if (typeof given === "string") return Either.mapLeft(check(given), refuse)
        return Effect.flatMap(SecretFiles, ({ read }) =>
          Effect.flatMap(read(given.file), (text) =>
            Either.mapLeft(check(text), (rule) => `the file ${given.file} holds something else: ${rule}`)
          ).pipe(Effect.mapError(refuse))
        )
      },
      encode: (secret) => ParseResult.succeed(Redacted.value(secret))
    }
  )
}

/** The path of a file in a document, which is read with it. */
const fileOf = (isIt: (text: string) => boolean, what: string) =>
  Schema.transformOrFail(Schema.NonEmptyString, Schema.RedactedFromSelf(Schema.String), {
    strict: true,
    decode: (path, _, ast) => {
      const refuse = (message: string) => new ParseResult.Forbidden(ast, path, message)
      // The message would show it.
      if (isContent(path)) return ParseResult.fail(refuse(`expected the path of a ${what}, not what it holds`))
      return Effect.flatMap(SecretFiles, ({ read }) =>
        Effect.flatMap(read(path), (text) =>
          text === notHere || isIt(text)
            ? Effect.succeed(Redacted.make(text))
            : Effect.fail(`the file ${path} is no ${what}`)
        ).pipe(Effect.mapError(refuse))
      )
    },
    encode: (text) => ParseResult.succeed(Redacted.value(text))
  })

/** True for a text that only what a file holds can be. */
const isContent = (path: string): boolean => /[\r\n]|^\s*\{|-----BEGIN /.test(path)

export const PemFile = fileOf((text) => text.includes("-----BEGIN "), "PEM file")

/** A cloud's credentials in JSON. */
export const CredentialsFile = fileOf((text) => isObject(parseJson(text)), "JSON file of credentials")
