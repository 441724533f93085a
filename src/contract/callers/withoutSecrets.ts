/** A text with all secrets removed. */
export const withoutSecrets = (text: string, secrets: ReadonlyArray<string>): string =>
  secrets.reduce((text, secret) => (secret === "" ? text : text.replaceAll(secret, "[…]")), text)

/** Keys of servers that want none, whatever their clients make them write. */
const placeholders: ReadonlySet<string> = new Set([
  "none",
  "empty",
  "dummy",
  "ollama",
  "lm-studio",
  "not-needed",
  "sk-no-key-required"
])

const shortestSecret = 8

/** False for placeholders and short texts: cutting them out would garble the words around them (`max_to[…]ens`). */
export const isSecret = (text: string): boolean =>
  text.length >= shortestSecret && !placeholders.has(text.replace(/^Bearer /, "").toLowerCase())
