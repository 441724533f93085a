import { Either, Redacted } from "effect"
import { parse } from "yaml"
import type { Located } from "./document.ts"
import { BadSettings } from "./document.ts"

/**
 * A secret that a document holds itself, and not as a variable of the environment: such a document is not to be stored
 * where others read.
 *
 * @param text the document as it was written
 * @param file the same, decoded: what is secret in it is redacted
 */
export const writtenSecret = (text: string, file: Located<unknown>): BadSettings | undefined => {
  const found = Either.try({ try: (): unknown => parse(text), catch: () => new BadSettings({ message: "no YAML" }) })
  const path = Either.isRight(found) ? secretIn(file.value, found.right, []) : undefined
  return path === undefined
    ? undefined
    : file.complain(
        path,
        `${path.join(".")}: a secret is not stored: write it as \${NAME}, a variable of each node's environment`
      )
}

const secretIn = (
  decoded: unknown,
  written: unknown,
  path: ReadonlyArray<string>
): ReadonlyArray<string> | undefined => {
  if (Redacted.isRedacted(decoded)) {
    return typeof written === "string" && /\$\{[A-Za-z_][A-Za-z0-9_]*\}/.test(written) ? undefined : path
  }
  if (typeof decoded !== "object" || decoded === null || typeof written !== "object" || written === null)
    return undefined
  for (const [name, value] of Object.entries(decoded)) {
    const found = secretIn(value, Reflect.get(written, name), [...path, name])
    if (found !== undefined) return found
  }
  return undefined
}
