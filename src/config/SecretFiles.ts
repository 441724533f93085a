import { resolve } from "node:path"
import { Clock, Context, Effect, Either, ParseResult, Redacted, Schema } from "effect"
import { describe } from "../contract/describe.ts"
import { isObject, parseJson } from "../contract/json/json.ts"
import { mostOfSecret } from "../flow/RegularFiles.ts"
import { programOf, runCommand } from "./secretCommand.ts"
import type { SecretCommand } from "./secretCommand.ts"
import { readFile, stampOf } from "./watchedFile.ts"
import type { Stamps } from "./watchedFile.ts"

/** Reads secrets that stand elsewhere. */
export interface SecretReader {
  /** The text of a file without trailing blanks and line breaks, or a message that names the file. */
  readonly read: (path: string) => Effect.Effect<string, string>
  /** The output of a command, or a message that names its program. Each is run once. */
  readonly run: (command: CommandReference) => Effect.Effect<string, string>
  /** The files that were read. A change of one is a change of the configuration. */
  readonly files: Stamps
  /** The commands that were run. Another output is a change of the configuration. */
  readonly printed: ReadonlyMap<string, Printed>
}

const CommandReference = Schema.Struct({
  command: Schema.NonEmptyArray(Schema.NonEmptyString),
  refresh_seconds: Schema.optional(Schema.Number.pipe(Schema.between(10, 7 * 86_400)))
})
type CommandReference = typeof CommandReference.Type

/** A command and its output. */
export interface Printed {
  readonly command: SecretCommand
  /** The folder in which it runs. */
  readonly folder: string
  readonly refreshMs: number
  readonly atMs: number
  readonly output: Redacted.Redacted
}

/** The use of a document's commands; `refuse`: it may come from elsewhere, and would be a shell on each node. */
export type Commands = "run" | "skip" | "refuse"

/** How often a command is run again if its reference does not say. */
const refreshSeconds = 3_600

/** Reads the `{ file }` and `{ command }` references of a document. */
export class SecretFiles extends Context.Tag("gateway/config/SecretFiles")<SecretFiles, SecretReader>() {}

/**
 * In place of a secret that is not here, for commands that ask no upstream. It passes for an address and for a key.
 */
export const notHere = "http://unset.invalid/not-needed-here"

/**
 * @param folder base of relative paths
 * @param isNeeded false: a file that can't be read gives {@link notHere}
 * @param commands `skip`: each gives {@link notHere}
 */
export const secretReader = (folder: string, isNeeded = true, commands: Commands = "refuse"): SecretReader => {
  const printed = new Map<string, Printed>()
  const run = ({ command, refresh_seconds = refreshSeconds }: CommandReference): Effect.Effect<string, string> =>
    Effect.gen(function* () {
      if (commands === "skip") return notHere
      if (commands === "refuse") return yield* Effect.fail(ownFileAlone)
      const key = JSON.stringify(command)
      const refreshMs = refresh_seconds * 1_000
      const earlier = printed.get(key)
      const output = earlier?.output ?? Redacted.make(yield* runCommand(command, folder))
      const atMs = earlier?.atMs ?? (yield* Clock.currentTimeMillis)
      const most = Math.min(earlier?.refreshMs ?? Infinity, refreshMs)
      printed.set(key, { command, folder, refreshMs: most, atMs, output })
      return Redacted.value(output)
    })
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
  return { read, run, files, printed }
}

const ownFileAlone =
  "a command is run only if a node's own gateway.yaml names it: use ${NAME}, a variable of each node's environment, or { file }"

/**
 * A secret in a document: text, `{ file }` with the path of a file that holds it, or `{ command }` with a program that
 * prints it and its arguments. Redacted as soon as it is read.
 */
export const secretOf = (rule: Schema.Schema<string>) => {
  const valid = ParseResult.decodeUnknownEither(rule)
  const check = (text: string) =>
    Either.mapBoth(valid(text), {
      onLeft: (issue) => describe(issue).message,
      onRight: (value) => Redacted.make(value)
    })
  return Schema.transformOrFail(
    Schema.Union(Schema.String, Schema.Struct({ file: Schema.NonEmptyString }), CommandReference),
    Schema.RedactedFromSelf(Schema.String),
    {
      strict: true,
      decode: (given, _, ast) => {
        const refuse = (message: string) => new ParseResult.Forbidden(ast, given, message)
        if (typeof given === "string") return Either.mapLeft(check(given), refuse)
        const [what, read] =
          "file" in given
            ? [`the file ${given.file} holds`, (from: SecretReader) => from.read(given.file)]
            : [`the command ${programOf(given.command)} prints`, (from: SecretReader) => from.run(given)]
        return Effect.flatMap(SecretFiles, read).pipe(
          Effect.flatMap((text) =>
            text === notHere
              ? Effect.succeed(Redacted.make(text))
              : Either.mapLeft(check(text), (rule) => `${what} something else: ${rule}`)
          ),
          Effect.mapError(refuse)
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
