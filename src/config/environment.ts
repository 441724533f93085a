import { readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Either } from "effect"
import { BadSettings } from "./document.ts"
import { secretReader } from "./SecretFiles.ts"
import { isSet, secretVariable } from "./secretVariable.ts"
import type { Environment } from "./secretVariable.ts"
import { stampOf } from "./stampOf.ts"
import type { Stamps } from "./stampOf.ts"

/** The file of variables beside `gateway.yaml`. */
const variablesFile = "gateway.env"

/** Mode bits of group and others. */
const others = 0o077

/** The gateway's own variables that hold secrets, each of which `<NAME>_FILE` may name a file for. */
export const secretVariables = [
  "GATEWAY_SECRET",
  "GATEWAY_ADMIN_KEY",
  "GATEWAY_BOOTSTRAP_KEY",
  "GATEWAY_WEBHOOK_SECRET",
  "GATEWAY_DATABASE_URL",
  "GATEWAY_DATABASE_DIRECT_URL",
  "GATEWAY_REDIS_URL",
  "GATEWAY_FILES_ACCESS_KEY_ID",
  "GATEWAY_FILES_SECRET_ACCESS_KEY"
] as const

/**
 * The environment with the variables of `gateway.env` beside the configuration file, which the environment wins over, and
 * with the secrets that `GATEWAY_<NAME>_FILE` names files of.
 *
 * @param file path of `gateway.yaml`; undefined for a configuration in the database, which has no such file
 */
export const environmentOf = (env: Environment, file: string | undefined): Either.Either<Environment, BadSettings> =>
  Either.flatMap(withVariablesFile(env, file), withSecrets)

/** The files that `GATEWAY_<NAME>_FILE` name. A change of one is a change of the configuration. */
export const secretFilesOf = (env: Environment, file: string | undefined): Stamps => {
  const all = Either.getOrElse(withVariablesFile(env, file), () => env)
  const named = secretVariables.flatMap((name) => all[`${name}_FILE`] ?? []).filter((path) => path !== "")
  return new Map(named.map((path) => [resolve(path), stampOf(resolve(path))]))
}

const withSecrets = (env: Environment): Either.Either<Environment, BadSettings> => {
  const read: Record<string, string> = {}
  for (const name of secretVariables) {
    if (!isSet(env, `${name}_FILE`)) continue
    const value = secretVariable(env, name, secretReader("."))
    if (Either.isLeft(value)) return Either.left(new BadSettings({ message: value.left }))
    if (value.right !== undefined) read[name] = value.right
  }
  const rest = Object.entries(env).filter(([name]) => read[name.replace(/_FILE$/, "")] === undefined)
  return Either.right({ ...Object.fromEntries(rest), ...read })
}

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

const withVariablesFile = (env: Environment, file: string | undefined): Either.Either<Environment, BadSettings> => {
  const path = file === undefined ? undefined : variablesFileOf(file)
  const mode = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })?.mode
  if (path === undefined || mode === undefined) return Either.right(env)
  if ((mode & others) !== 0) {
    return Either.left(
      new BadSettings({ message: `${path}: others may read or change it, and it holds secrets: run chmod 600 ${path}` })
    )
  }
  return Either.map(readVariables(path), (written) => {
    const merged = { ...env }
    for (const [name, value] of written) {
      if (![name, `${name}_FILE`, name.replace(/_FILE$/, "")].some((other) => isSet(env, other))) merged[name] = value
    }
    return merged
  })
}

/** `NAME=value` on each line, as shells and systemd read it; `export` and quotes around the value may stand there. */
const readVariables = (path: string): Either.Either<ReadonlyArray<readonly [string, string]>, BadSettings> => {
  const wrong = (message: string) => Either.left(new BadSettings({ message }))
  const text = Either.try(() => readFileSync(path, "utf8"))
  if (Either.isLeft(text)) return wrong(`${path}: the file can't be read`)
  const variables: Array<readonly [string, string]> = []
  for (const [index, line] of text.right.split("\n").entries()) {
    const written = line.trim()
    if (written === "" || written.startsWith("#")) continue
    const [, name, value = ""] = /^(?:export )?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(written) ?? []
    if (name === undefined) return wrong(`${path}:${index + 1}: expected NAME=value`)
    if (name === "GATEWAY_CONFIG") {
      return wrong(`${path}:${index + 1}: GATEWAY_CONFIG names the file that this one stands beside: set it elsewhere`)
    }
    variables.push([name, unquoted(value)])
  }
  return Either.right(variables)
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value
