/** The parameters of a `WWW-Authenticate` header that matter here. */
export interface Challenge {
  readonly metadataUrl: string | undefined
  readonly scopes: ReadonlyArray<string>
}

export const readChallenge = (header: string | undefined): Challenge => {
  const parameter = (name: string): string | undefined => {
    const at = new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]{0,2000})"|([^\\s,"]{1,2000}))`, "i").exec(header ?? "")
    return at?.[1] ?? at?.[2]
  }
  return { metadataUrl: parameter("resource_metadata"), scopes: wordsOf(parameter("scope") ?? "") }
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
