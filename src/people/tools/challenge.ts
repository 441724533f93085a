/** The parameters of a `WWW-Authenticate` header that matter here. */
export interface Challenge {
  readonly metadataUrl: string | undefined
  readonly scopes: ReadonlyArray<string>
}

const resourceMetadata = /(?:^|[\s,])resource_metadata=(?:"([^"]{0,2000})"|([^\s,"]{1,2000}))/i
const scope = /(?:^|[\s,])scope=(?:"([^"]{0,2000})"|([^\s,"]{1,2000}))/i

export const readChallenge = (header = ""): Challenge => {
  const first = (parameter: RegExp): string | undefined => {
    const at = parameter.exec(header)
    return at?.[1] ?? at?.[2]
  }
  return { metadataUrl: first(resourceMetadata), scopes: wordsOf(first(scope) ?? "") }
}

/** A scope's words; what no scope can be is left out (RFC 6749, section 3.3). */
export const wordsOf = (scope: string): ReadonlyArray<string> =>
  scope
    .split(" ")
    .filter((word) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(word))
    .slice(0, 50)

/** Both, each word once. */
export const together = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set([...one, ...other])
]
