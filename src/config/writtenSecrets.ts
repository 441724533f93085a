import { Either, Redacted } from "effect"
import { parse } from "yaml"
import type { Located } from "./document.ts"
import { BadSettings } from "./document.ts"

/**
 * Finds a literal secret in a document. Documents in the database must refer to secrets as `${NAME}` or `{ file }`, since
 * others can read them.
 *
 * @param text the document's source
 * @param file the same document, decoded, with redacted secrets
 */
export const writtenSecret = (text: string, file: Located<unknown>): BadSettings | undefined => {
  const parsed = Either.try({ try: (): unknown => parse(text), catch: () => new BadSettings({ message: "no YAML" }) })
  const path = Either.isRight(parsed) ? secretIn(file.value, parsed.right, []) : undefined
  return path === undefined
    ? undefined
    : file.complain(
        path,
        `${path.join(".")}: a secret is not stored: write it as \${NAME}, a variable of each node's environment, or as { file: /path }, a file of each node`
      )
}

/** An address without credentials, such as a proxy's, is no secret. */
const isOpenAddress = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && url.host !== "" && url.username === "" && url.password === "" && url.search === ""
}

const secretIn = (
  decoded: unknown,
  written: unknown,
  path: ReadonlyArray<string>
): ReadonlyArray<string> | undefined => {
  if (Redacted.isRedacted(decoded)) {
    // Of these the paths are written.
    if (path.at(-2) === "tls" || path.at(-1) === "credentials_file") return undefined
    if (written === undefined || (typeof written === "string" && isOpenAddress(written))) return undefined
    if (typeof written === "object" && written !== null && "file" in written) return undefined
    return typeof written === "string" && /\$\{[A-Za-z_][A-Za-z0-9_]*\}/.test(written) ? undefined : path
  }
  if (typeof decoded !== "object" || decoded === null || typeof written !== "object" || written === null)
    return undefined
  for (const [name, value] of Object.entries(decoded)) {
    const secret = secretIn(value, Reflect.get(written, name), [...path, name])
    if (secret !== undefined) return secret
  }
  return undefined
}
