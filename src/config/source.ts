import { existsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Context, Effect, Either, Option, Redacted } from "effect"
import { mostOfSettings } from "../flow/RegularFiles.ts"
import { BadSettings, readDocument } from "./document.ts"
import type { Located, DocumentContext } from "./document.ts"
import type { Commands } from "./SecretFiles.ts"
import { defaultFile, inDatabase, stampFile, variablesFileOf } from "./environment.ts"
import { fileOf } from "./fromEnvironment.ts"
import { GatewayFile } from "./GatewayFile.ts"
import { proxiesOf, withProxies } from "./proxies.ts"
import { withRegions } from "./regions.ts"
import { readFile } from "./watchedFile.ts"

/** A version of the configuration in the database. */
export interface StoredDocument {
  readonly version: number
  readonly text: string
}

/** Reads the newest version in a database, if any was applied. */
export class StoredConfiguration extends Context.Reference<StoredConfiguration>()(
  "gateway/config/StoredConfiguration",
  {
    defaultValue:
      () =>
      (_url: string): Effect.Effect<Option.Option<StoredDocument>, BadSettings> =>
        Effect.fail(new BadSettings({ message: `GATEWAY_CONFIG=${inDatabase}: this process cannot read it` }))
  }
) {}

/** The source of the configuration. */
export interface Source {
  /** The file, if there is one. */
  readonly path: Option.Option<string>
  readonly isStored: boolean
  readonly read: Effect.Effect<Located<GatewayFile>, BadSettings>
}

/** A document's surroundings, looked at anew each time. */
export type LoadContext = Effect.Effect<Omit<DocumentContext, "folder" | "commands">, BadSettings>

/**
 * @param named the value of `GATEWAY_CONFIG`
 * @param commands of the node's own file, the only one that may name them
 */
export const fileSource = (named: string | undefined, context: LoadContext, commands: Commands): Source => {
  const findFile = () => {
    if (named !== undefined) return Option.some(named)
    return existsSync(defaultFile) ? Option.some(defaultFile) : Option.none()
  }
  const path = findFile()
  return {
    path,
    isStored: false,
    // Picks up a file that is created after the start; a deleted one is an error.
    read: Effect.gen(function* () {
      const found = Option.orElse(path, findFile)
      const own = Option.getOrElse(found, () => defaultFile)
      const before = yield* Effect.forEach([own, variablesFileOf(own)], stampFile)
      const file = yield* readGatewayFile(found, { ...(yield* context), commands })
      return { ...file, files: new Map([...before, ...(file.files ?? [])]) }
    })
  }
}

/** @param url of the database; undefined if the environment names no Postgres */
export const storedSource = (url: string | undefined, context: LoadContext): Effect.Effect<Source, BadSettings> =>
  Effect.gen(function* () {
    if (url === undefined) {
      return yield* new BadSettings({
        message: `GATEWAY_CONFIG=${inDatabase}: GATEWAY_DATABASE_URL has to name a Postgres`
      })
    }
    const readStored = yield* StoredConfiguration
    return {
      path: Option.none(),
      isStored: true,
      read: Effect.flatMap(Effect.all([context, readStored(url)]), ([context, stored]) =>
        Option.match(stored, {
          onNone: () => Effect.flatMap(fileOf(context), (file) => withProxy(file, context)),
          onSome: (stored) => readStoredDocument(stored, context)
        })
      )
    }
  })

/** Reads a stored version with this environment. */
const readStoredDocument = (
  { text, version }: StoredDocument,
  context: DocumentContext
): Effect.Effect<Located<GatewayFile>, BadSettings> =>
  Effect.map(readGatewayText(`configuration version ${version}`, text, context), (file) => ({ ...file, version }))

const readGatewayFile = (
  path: Option.Option<string>,
  context: DocumentContext
): Effect.Effect<Located<GatewayFile>, BadSettings> =>
  Option.match(path, {
    onNone: () => Effect.flatMap(fileOf(context), (file) => withProxy(file, context)),
    onSome: (path) =>
      Effect.flatMap(readText(path), (text) => readGatewayText(path, text, { ...context, folder: dirname(path) })).pipe(
        Effect.flatMap((file) => withPricesBeside(path, file))
      )
  })

/** @param name for error messages */
export const readGatewayText = (
  name: string,
  text: string,
  context: DocumentContext
): Effect.Effect<Located<GatewayFile>, BadSettings> =>
  Effect.flatMap(readDocument(name, text, context, GatewayFile), (file) =>
    withoutAdminKey(file, context.env["GATEWAY_ADMIN_KEY"])
  ).pipe(Effect.flatMap((file) => withProxy(withRegions(file, context.env), context)))

/** Commands that ask no upstream need no proxy, right or wrong. */
const withProxy = (file: Located<GatewayFile>, { env, needsSecrets = true }: DocumentContext) =>
  needsSecrets
    ? Either.map(proxiesOf(env, file.value.proxy), (proxyOf) => withProxies(file, proxyOf))
    : Either.right(file)

/** Refuses the admin key as an API key: API keys are spread widely, the admin key must not be. */
const withoutAdminKey = (
  file: Located<GatewayFile>,
  adminKey: string | undefined
): Either.Either<Located<GatewayFile>, BadSettings> => {
  const index = (file.value.keys ?? []).findIndex(({ secret }) => Redacted.value(secret) === adminKey)
  return index === -1
    ? Either.right(file)
    : Either.left(file.complain(["keys", index, "secret"], `keys[${index}].secret: ${sameAsAdminKey}`))
}

/** The error for an API key that equals the admin key. */
export const sameAsAdminKey = "is GATEWAY_ADMIN_KEY too; the key of the admin API must open nothing else"

const withPricesBeside = Effect.fnUntraced(function* (
  path: string,
  file: Located<GatewayFile>
): Effect.fn.Return<Located<GatewayFile>, BadSettings> {
  if (file.value.prices_file === undefined) return file
  const prices_file = resolve(dirname(path), file.value.prices_file)
  return {
    ...file,
    value: { ...file.value, prices_file },
    files: new Map([...(file.files ?? []), yield* stampFile(prices_file)])
  }
})

/** Reads a file of the configuration. */
export const readText = (path: string): Effect.Effect<string, BadSettings> =>
  Effect.mapError(
    readFile(path, mostOfSettings),
    ({ reason }) => new BadSettings({ message: `${path}: the file can't be read (${reason})` })
  )

/** Warnings about a configuration in the database, one line each. */
export const storedWarnings = ({ version }: Located<GatewayFile>): ReadonlyArray<string> => [
  ...(version === undefined
    ? ["no configuration was applied to the database yet: run gateway config apply <file>"]
    : []),
  ...(existsSync(defaultFile)
    ? [
        `${defaultFile} is not read: the configuration in the database applies${version === undefined ? "" : ` (version ${version})`}`
      ]
    : [])
]
