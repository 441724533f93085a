import { proxyShown } from "../../config/proxies.ts"
import { tooFewDescriptors, UpstreamFailed } from "../../contract/failures/Failure.ts"
import type { NoCredentials } from "../../credentials/Auth.ts"
import { descriptors as ofProcess } from "../../flow/Descriptors.ts"
import { UpstreamError } from "../UpstreamError.ts"

/**
 * The failure of a call that was not answered.
 *
 * @param code the system's error code
 * @param proxy the proxy of the call, which a failed connection is then about
 */
export const unreachable = (code: string | undefined, proxy?: string, descriptors = ofProcess) => {
  const neverSent = code !== undefined && neverLeft(code)
  if ((neverSent || isOfConnecting(code)) && descriptors.isExhausted()) return shortOfDescriptors(code, neverSent)
  return new UpstreamError({
    failure: new UpstreamFailed({ message: "The model's upstream could not be reached" }),
    retry: "again",
    retryAfterMs: undefined,
    status: undefined,
    neverSent,
    trouble: neverSent || code === "EPROTO" ? "unreachable" : undefined,
    said:
      proxy === undefined || code === undefined || /CERT|SIGNED|UNABLE_TO_/.test(code)
        ? code
        : `proxy ${proxyShown(proxy)}: ${code}`
  })
}

/** The failure of a call for which this process had no descriptor, which says nothing about the upstream. */
const shortOfDescriptors = (code: string | undefined, neverSent: boolean) =>
  new UpstreamError({
    failure: tooFewDescriptors,
    retry: "again",
    retryAfterMs: undefined,
    status: undefined,
    neverSent,
    keptBack: true,
    said: `too few file descriptors in this process${code === undefined ? "" : ` (${code})`}`
  })

/** The failure of a call that was not sent, because there are no credentials for it. */
export const noCredentialsFailure = ({ message }: NoCredentials) =>
  new UpstreamError({
    failure: new UpstreamFailed({}),
    retry: "elsewhere",
    retryAfterMs: undefined,
    status: undefined,
    neverSent: true,
    trouble: "refused-key",
    said: message
  })

/** The system's error code of a failed `fetch`. */
export const codeOf = (cause: unknown): string | undefined => {
  if (!(cause instanceof Error) || !("code" in cause) || typeof cause.code !== "string") return undefined
  // Only the words have the proxy's status.
  return cause.code.startsWith("ERR_PROXY") ? `${cause.code}: ${cause.message}` : cause.code
}

/** True if no connection was made: refused, unknown host, an untrusted certificate, or a proxy that refuses. */
const neverLeft = (code: string): boolean =>
  /^(?:ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|UNABLE_TO_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT|ERR_PROXY)/.test(
    code
  )

/** Other codes of a connection that failed. Bun has several for a process without descriptors. */
const isOfConnecting = (code: string | undefined): boolean =>
  code === undefined || /^(?:EMFILE|ENFILE|ESERVFAIL|FailedToOpenSocket|ETIMEDOUT)/.test(code)

/** The failure of a call that was not answered in time. */
export const silent = () =>
  new UpstreamError({
    failure: new UpstreamFailed({ message: "The model's upstream did not answer in time" }),
    retry: "elsewhere",
    retryAfterMs: undefined,
    status: undefined,
    gaveUp: true
  })
