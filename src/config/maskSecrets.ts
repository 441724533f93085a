/** Names of fields whose values are secrets. */
const secretName =
  /(?:^|[_.-])(?:secret|token|password|passphrase|credential|authorization|signature|(?:api|access|private)_?key)s?$/i

/** True for a field whose text is a secret by its name. */
export const namesSecret = (field: string): boolean => secretName.test(field)

/** A text that is a reference to a secret: `${NAME}`. */
const reference = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/

/** Keys by the beginnings that their makers give them. */
const knownKey =
  /\b(?:sk[-_]|pk_|rk_|gw_|gh[a-z]_|glpat-|hf_|whsec_|xox[a-z]-)[A-Za-z0-9_-]{12,}|\b(?:AKIA|ASIA|AIza|ya29\.|eyJ)[A-Za-z0-9_.-]{12,}/g

const run = /[A-Za-z0-9+/]{20,}={0,2}/g

/** True for a run of letters and digits that no word or name is made of; paths are longer than words. */
const isRandom = (text: string): boolean =>
  /^[0-9a-f]{32,}$/i.test(text) ||
  ((text.length >= 32 || !text.includes("/")) && /[0-9]/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text))

/**
 * A text without what could be a secret: credentials and query values of addresses, keys of known makers, private keys,
 * random characters. References (`${NAME}`) stay.
 */
export const maskSecrets = (text: string, mask: string): string => {
  if (reference.test(text)) return text
  if (text.includes("PRIVATE KEY-----")) return mask
  return text
    .replace(/:\/\/[^/?#\s]*@/g, `://${mask}@`)
    .replace(/([?&][^?=&#\s]+=)[^&#\s]+/g, `$1${mask}`)
    .replace(knownKey, mask)
    .replace(run, (found) => (isRandom(found) ? mask : found))
}
