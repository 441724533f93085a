import { existsSync, readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Context, Effect, Either, Option, Redacted } from "effect"
import { BadSettings, readDocument } from "./document.ts"
import type { Environment, Located } from "./document.ts"
import { fileOf } from "./fromEnvironment.ts"
import { GatewayFile } from "./GatewayFile.ts"

/** Read where no other file is named. */
export const defaultFile = "gateway.yaml"

/** What `GATEWAY_CONFIG` says where the configuration is kept in the database. */
export const inDatabase = "postgres"

/** A version of the configuration that is kept in the database. */
export interface StoredDocument {
  readonly version: number
  readonly text: string
}

/** Reads the newest version that a database has; none where none was applied yet. */
export class StoredConfiguration extends Context.Reference<StoredConfiguration>()(
  "gateway/config/StoredConfiguration",
  {
    defaultValue:
      () =>
      (_url: string): Effect.Effect<Option.Option<StoredDocument>, BadSettings> =>
        Effect.fail(new BadSettings({ message: `GATEWAY_CONFIG=${inDatabase}: there is nobody here to read it` }))
  }
) {}

/** Where a configuration is read, now and again. */
export interface Source {
  /** The file; none where there is none. */
  readonly path: Option.Option<string>
  readonly isStored: boolean
  readonly read: Effect.Effect<Located<GatewayFile>, BadSettings>
}

/** @param named what `GATEWAY_CONFIG` says */
export const fileSource = (named: string | undefined, env: Environment): Source => {
  const found = () => {
    if (named !== undefined) return Option.some(named)
    return existsSync(defaultFile) ? Option.some(defaultFile) : Option.none()
  }
  const path = found()
  return {
    path,
    isStored: false,
    // A file that is made after the start counts too; one that is gone is missed.
    read: Effect.suspend(() => readGatewayFile(Option.orElse(path, found), env))
  }
}

/** @param url of the database; undefined where the environment names no Postgres */
export const storedSource = (url: string | undefined, env: Environment): Effect.Effect<Source, BadSettings> =>
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
      read: Effect.flatMap(
        readStored(url),
        Option.match({ onNone: () => fileOf(env), onSome: (stored) => readStoredDocument(stored, env) })
      )
    }
  })

/** What a stored version says in this environment. */
const readStoredDocument = (
  { text, version }: StoredDocument,
  env: Environment
): Either.Either<Located<GatewayFile>, BadSettings> =>
  Either.map(readGatewayText(`configuration version ${version}`, text, env), (file) => ({ ...file, version }))

const readGatewayFile = (
  path: Option.Option<string>,
  env: Environment
): Either.Either<Located<GatewayFile>, BadSettings> =>
  Option.match(path, {
    onNone: () => fileOf(env),
    onSome: (path) =>
      Either.flatMap(readText(path), (text) => readGatewayText(path, text, env)).pipe(
        Either.map((file) => withPricesBeside(path, file))
      )
  })

/** @param name what messages call it */
export const readGatewayText = (
  name: string,
  text: string,
  env: Environment
): Either.Either<Located<GatewayFile>, BadSettings> =>
  Either.flatMap(readDocument(name, text, env, GatewayFile), (file) => withoutAdminKey(file, env["GATEWAY_ADMIN_KEY"]))

/** A key that opens the admin API must open nothing else: callers' keys lie about in many places. */
const withoutAdminKey = (
  file: Located<GatewayFile>,
  adminKey: string | undefined
): Either.Either<Located<GatewayFile>, BadSettings> => {
  const index = (file.value.keys ?? []).findIndex(({ secret }) => Redacted.value(secret) === adminKey)
  return index === -1
    ? Either.right(file)
    : Either.left(file.complain(["keys", index, "secret"], `keys[${index}].secret: ${sameAsAdminKey}`))
}

/** What is wrong with an API key that is the operator's own. */
export const sameAsAdminKey = "is GATEWAY_ADMIN_KEY too; the key of the admin API must open nothing else"

const withPricesBeside = (path: string, file: Located<GatewayFile>): Located<GatewayFile> => {
  const { prices_file } = file.value
  return prices_file === undefined
    ? file
    : { ...file, value: { ...file.value, prices_file: resolve(dirname(path), prices_file) } }
}

/** Reads a file of the configuration. */
export const readText = (path: string): Either.Either<string, BadSettings> =>
  Either.try({
    try: () => readFileSync(path, "utf8"),
    catch: () => new BadSettings({ message: `${path}: the file can't be read` })
  })

/** What is worth knowing of a configuration that is kept in the database, in lines for the operator. */
export const storedWarnings = ({ version }: Located<GatewayFile>): ReadonlyArray<string> => [
  ...(version === undefined ? ["no configuration was applied to the database yet: gateway config apply <file>"] : []),
  ...(existsSync(defaultFile)
    ? [
        `${defaultFile} is not read: what was applied to the database counts${version === undefined ? "" : `, version ${version}`}`
      ]
    : [])
]
