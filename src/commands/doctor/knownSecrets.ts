import { Redacted } from "effect"
import type { Environment } from "../../config/secretVariable.ts"
import { namesSecret } from "../../config/maskSecrets.ts"
import { secretVariables } from "../../config/secretVariables.ts"
import type { GatewaySettings } from "../../config/Settings.ts"

/** In place of a secret. */
export const mask = "[secret]"

/** Shorter values are placeholders, whose letters are in other words too. */
const shortestSecret = 6

/** Replaces every value that is known to be a secret: of the settings, and of variables that may hold one. */
export const hiding = (settings: GatewaySettings | undefined, environment: Environment): ((text: string) => string) => {
  const known = [...secretsOf(settings, environment)]
    .flatMap((text) => [text, ...partsOf(text)])
    .flatMap((text) => [text, encodeURIComponent(text)])
    .filter((text) => text.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length)
  return (text) => known.reduce((open, secret) => open.replaceAll(secret, mask), text)
}

const secretsOf = (settings: GatewaySettings | undefined, environment: Environment): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (Redacted.isRedacted(value)) found.add(String(Redacted.value(value)))
    else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) visit(part)
  }
  visit(settings)
  const names = new Set<string>([...secretVariables, ...(settings?.file.interpolated ?? [])])
  for (const [name, value = ""] of Object.entries(environment)) {
    if (names.has(name) || namesSecret(name)) found.add(value)
    // `name=value,name=value`
    else if (name.endsWith("_HEADERS"))
      for (const pair of value.split(",")) found.add(pair.slice(pair.indexOf("=") + 1))
    // A proxy's address, say.
    else for (const part of partsOf(value)) found.add(part)
  }
  return found
}

/** The password of an address, as it is written and as it is meant. */
const partsOf = (text: string): ReadonlyArray<string> => {
  const password = URL.parse(text)?.password ?? ""
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}
