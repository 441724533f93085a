import type { Failure } from "../../contract/failures/Failure.ts"
import type { UpstreamError } from "../UpstreamError.ts"

interface Refused extends Pick<UpstreamError, "keptBack" | "neverSent" | "said" | "status" | "trouble"> {
  readonly failure?: Failure
}

/** The settings by which an upstream is reached, as far as hints name them. */
export interface Reach {
  /** The key's name, if the upstream has several. */
  readonly key?: string | undefined
  /** True if `auth` gives credentials in place of a key. */
  readonly isByAuth?: boolean
  /** The settings that its address is made of, the host's first; empty if `base_url` is the whole address. */
  readonly placedBy?: ReadonlyArray<string>
  /** The setting that holds the model's name there. Absent if the caller's request may be at fault, too. */
  readonly model?: string | undefined
}

/** The setting that an operator should check first after this kind of refusal. For the log and for `gateway check`. */
export const hintOf = (
  upstream: string,
  { failure, keptBack, neverSent, said, status, trouble }: Refused,
  { isByAuth = false, key, model, placedBy = [] }: Reach = {}
): string | undefined => {
  const [host = "base_url"] = placedBy
  const setting = (name: string) => `upstreams.${upstream}.${name === "base_url" ? host : name}`
  const keySetting = key === undefined ? setting("api_key") : `${key} of ${setting("keys")}`
  const places = (placedBy.length === 0 ? [host] : placedBy).map(setting).join(" or ")
  if (failure?._tag === "InvalidRequest" && status !== 404 && model === undefined) return undefined
  if (trouble === "empty-account") return `the account of ${keySetting} has no money left`
  if (status === undefined) {
    const happened = connectionFailures.find(([code]) => code.test(said ?? ""))?.[1]
    if (happened !== undefined) return happened(setting)
    if (neverSent === true) return `no connection to ${setting("base_url")} was made`
    const isSilent = keptBack !== true && said === undefined
    return isSilent ? `${setting("first_byte_seconds")} bounds the wait` : undefined
  }
  if (trouble === "refused-key" || status === 403) {
    const refused = `the upstream does not accept ${isByAuth ? `the identity of ${setting("auth")}` : keySetting}`
    return placedBy.length === 0 ? refused : `${refused}, or ${places} is wrong`
  }
  if (status === 404 || (status === 400 && model !== undefined)) {
    return `${model ?? "the model name"}, or ${places}, is wrong`
  }
  if (status >= 300 && status < 400) return `${setting("base_url")} has moved: redirects are not followed`
  return status === 429 ? `${setting("max_concurrency")} bounds the calls under way at a time` : undefined
}

type Setting = (name: string) => string

/** The meaning of the system's error codes for an operator. */
const connectionFailures: ReadonlyArray<readonly [RegExp, (setting: Setting) => string]> = [
  [/^no (?:AWS |Google |Azure )?credentials/, (setting) => `${setting("auth")} names credentials that can't be had`],
  [
    /^proxy /,
    (setting) => `${setting("proxy")}, otherwise HTTPS_PROXY or HTTP_PROXY, names a proxy that lets no call through`
  ],
  [/^(?:ENOTFOUND|EAI_)/, (setting) => `the host of ${setting("base_url")} does not resolve`],
  [/^(?:ECONNREFUSED|ConnectionRefused)/, (setting) => `nothing listens at ${setting("base_url")}`],
  [/^(?:EHOSTUNREACH|ENETUNREACH)/, (setting) => `no network route leads to the host of ${setting("base_url")}`],
  [
    /^ETIMEDOUT/,
    (setting) => `the host of ${setting("base_url")} accepted no connection within ${setting("connect_seconds")}`
  ],
  [/^CERT_HAS_EXPIRED/, (setting) => `the certificate of ${setting("base_url")} has expired`],
  [/^ERR_TLS_CERT_ALTNAME/, (setting) => `the certificate of ${setting("base_url")} is for another host`],
  [
    /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT)/,
    (setting) =>
      `the certificate of ${setting("base_url")} does not verify; ` +
      "NODE_EXTRA_CA_CERTS names a file with an authority to trust"
  ],
  [/^EPROTO/, (setting) => `the server at ${setting("base_url")} does not speak TLS; is http:// meant?`],
  [/^ERR_PROXY/, () => "the proxy refused the connection"]
]
