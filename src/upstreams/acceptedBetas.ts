/** Names of betas that an upstream gets, or does not get. */
export type Betas = { readonly allow: ReadonlyArray<string> } | { readonly drop: ReadonlyArray<string> }

type Headers = Readonly<Record<string, string>> | undefined

const name = "anthropic-beta"

/** A caller's headers without the betas that the upstream does not get, and the names of those for the caller. */
export const acceptedBetas = (
  headers: Headers,
  betas: Betas | undefined
): { readonly headers: Headers; readonly dropped: ReadonlyArray<string> } => {
  const written = headers?.[name]
  if (betas === undefined || written === undefined) return { headers, dropped: [] }
  const all = written
    .split(",")
    .map((beta) => beta.trim())
    .filter((beta) => beta !== "")
  const isAccepted = (beta: string) => ("allow" in betas ? betas.allow.includes(beta) : !betas.drop.includes(beta))
  const dropped = all.filter((beta) => !isAccepted(beta))
  if (dropped.length === 0) return { headers, dropped }
  const { [name]: _, ...others } = headers ?? {}
  const kept = all.filter(isAccepted)
  return {
    headers: kept.length === 0 ? others : { ...others, [name]: kept.join(",") },
    dropped: [name]
  }
}
