import type { Failure } from "../contract/Failure.ts"
import type { UpstreamError } from "./UpstreamError.ts"

interface Refused extends Pick<UpstreamError, "keptBack" | "neverSent" | "said" | "status" | "trouble"> {
  readonly failure?: Failure
}

/** The setting that an operator should check first after this kind of refusal. For the log alone. */
export const hintOf = (
  upstream: string,
  { failure, keptBack, neverSent, said, status, trouble }: Refused
): string | undefined => {
  const setting = (name: string) => `upstreams.${upstream}.${name}`
  if (failure?._tag === "InvalidRequest" && status !== 404) return undefined
  if (trouble === "empty-account") return `the account of ${setting("api_key")} has no money left`
  if (neverSent === true) return `nothing answers at ${setting("base_url")}`
  if (status === undefined) {
    const isSilent = keptBack !== true && said === undefined
    return isSilent ? `${setting("first_byte_seconds")} bounds the wait` : undefined
  }
  if (trouble === "refused-key" || status === 403) return `the upstream does not accept ${setting("api_key")}`
  if (status === 404) return `the model name, or ${setting("base_url")}, is wrong`
  if (status >= 300 && status < 400) return `${setting("base_url")} has moved: redirects are not followed`
  return status === 429 ? `${setting("max_concurrency")} bounds the calls under way at a time` : undefined
}
