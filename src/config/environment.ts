import { dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import { BadSettings } from "./document.ts"
import { secretReader } from "./SecretFiles.ts"
import { isSet, secretVariable } from "./secretVariable.ts"
import { secretVariables } from "./secretVariables.ts"
import type { Environment } from "./secretVariable.ts"
import { lookAt, readFile, stampOf } from "./watchedFile.ts"
import type { Stamps } from "./watchedFile.ts"
import { mostOfSettings } from "../flow/RegularFiles.ts"

/** The file of variables beside `gateway.yaml`. */
const variablesFile = "gateway.env"

/** Mode bits of group and others. */
const others = 0o077

/**
 * The environment with the variables of `gateway.env` beside the configuration file, which the environment wins over, and
 * with the secrets that `GATEWAY_<NAME>_FILE` names files of.
 *
 * @param file path of `gateway.yaml`; undefined for a configuration in the database, which has no such file
 */
export const environmentOf = (env: Environment, file: string | undefined): Effect.Effect<Environment, BadSettings> =>
  Effect.flatMap(withVariablesFile(env, file), withSecrets)

/** The files that `GATEWAY_<NAME>_FILE` name. A change of one is a change of the configuration. */
export const secretFilesOf = Effect.fnUntraced(function* (
  env: Environment,
  file: string | undefined
): Effect.fn.Return<Stamps, BadSettings> {
  const all = yield* Effect.orElseSucceed(withVariablesFile(env, file), () => env)
  const named = secretVariables.flatMap((name) => all[`${name}_FILE`] ?? []).filter((path) => path !== "")
  return new Map(yield* Effect.forEach(named, (path) => stampFile(resolve(path))))
})

/** A file with its version. */
export const stampFile = (file: string) =>
  stampOf(file).pipe(
    Effect.map((stamp) => [file, stamp] as const),
    Effect.mapError(({ message }) => new BadSettings({ message }))
  )

const withSecrets = Effect.fnUntraced(function* (env: Environment): Effect.fn.Return<Environment, BadSettings> {
  const read: Record<string, string> = {}
  for (const name of secretVariables) {
    if (!isSet(env, `${name}_FILE`)) continue
    const value = yield* Effect.mapError(
      secretVariable(env, name, secretReader(".")),
      (message) => new BadSettings({ message })
    )
    if (value !== undefined) read[name] = value
  }
  const rest = Object.entries(env).filter(([name]) => read[name.replace(/_FILE$/, "")] === undefined)
  return { ...Object.fromEntries(rest), ...read }
})

/** The default configuration file. */
export const defaultFile = "gateway.yaml"

/** `GATEWAY_CONFIG` for a configuration in the database. */
export const inDatabase = "postgres"

/** The configuration file that an environment names, whether it exists or not; undefined for one in the database. */
export const configurationFile = (env: Environment): string | undefined => {
  const named = env["GATEWAY_CONFIG"] ?? ""
  if (named === inDatabase) return undefined
  return named === "" ? defaultFile : named
}

/** Path of the file of variables, whether it exists or not. */
export const variablesFileOf = (file: string) => join(dirname(file), variablesFile)

const withVariablesFile = Effect.fnUntraced(function* (
  env: Environment,
  file: string | undefined
): Effect.fn.Return<Environment, BadSettings> {
  if (file === undefined) return env
  const path = variablesFileOf(file)
  const found = yield* Effect.mapError(lookAt(path), ({ message }) => new BadSettings({ message }))
  if (found === undefined) return env
  if ((found.mode & others) !== 0) {
    return yield* new BadSettings({
      message: `${path}: others may read or change it, and it holds secrets: run chmod 600 ${path}`
    })
  }
  const merged = { ...env }
  for (const [name, value] of yield* readVariables(path)) {
    if (![name, `${name}_FILE`, name.replace(/_FILE$/, "")].some((other) => isSet(env, other))) merged[name] = value
  }
  return merged
})

/** `NAME=value` on each line, as shells and systemd read it; `export` and quotes around the value may stand there. */
const readVariables = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<ReadonlyArray<readonly [string, string]>, BadSettings> {
  const wrong = (message: string) => new BadSettings({ message })
  const text = yield* Effect.mapError(readFile(path, mostOfSettings), ({ reason }) =>
    wrong(`${path}: the file can't be read (${reason})`)
  )
  const variables: Array<readonly [string, string]> = []
  for (const [index, line] of text.split("\n").entries()) {
    const written = line.trim()
    if (written === "" || written.startsWith("#")) continue
    const [, name, value = ""] = /^(?:export )?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(written) ?? []
    if (name === undefined) return yield* wrong(`${path}:${index + 1}: expected NAME=value`)
    if (name === "GATEWAY_CONFIG") {
      return yield* wrong(
        `${path}:${index + 1}: GATEWAY_CONFIG names the file that this one stands beside: set it elsewhere`
      )
    }
    variables.push([name, unquoted(value)])
  }
  return variables
})

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value
