import { Effect } from "effect"
import type { SecretReader } from "./SecretFiles.ts"

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** True if a variable is there and not empty. */
export const isSet = (env: Environment, name: string) => env[name] !== undefined && env[name] !== ""

/**
 * The value of a variable that may hold a secret: its own, or the text of the file that `<NAME>_FILE` names. Empty ones
 * count as unset.
 *
 * @returns undefined if neither is set; a message if both are, or the file can't be read
 */
export const secretVariable = (
  env: Environment,
  name: string,
  { read }: SecretReader
): Effect.Effect<string | undefined, string> => {
  const file = env[`${name}_FILE`] ?? ""
  if (file === "") return Effect.succeed(env[name] === "" ? undefined : env[name])
  if (isSet(env, name)) return Effect.fail(`${name} and ${name}_FILE are both set: keep one of them`)
  return Effect.mapError(read(file), (message) => `${name}_FILE: ${message}`)
}

/** A variable of `${NAME}` in a document. Keys of providers may be in files. */
export const documentVariable = (
  env: Environment,
  name: string,
  reader: SecretReader
): Effect.Effect<string | undefined, string> =>
  name.endsWith("_API_KEY")
    ? secretVariable(env, name, reader)
    : Effect.succeed(env[name] === "" ? undefined : env[name])
