import { Effect } from "effect"
import type { Failure } from "../../contract/failures/Failure.ts"
import { entrustedIn } from "../../contract/callers/entrusted.ts"
import { parseJson } from "../../contract/json/json.ts"
import { bodyBounds } from "../../contract/json/jsonBounds.ts"
import { BrokenBody } from "./Exchange.ts"
import type { Exchange } from "./Exchange.ts"
import { secretsOf } from "../Endpoint.ts"
import type { EndpointOptions } from "../Endpoint.ts"
import { refusal } from "./refusal.ts"
import type { UpstreamError } from "../UpstreamError.ts"

export const isSuccess = ({ status }: Exchange): boolean => status >= 200 && status <= 299

/** The most that is read of an error's body, in bytes. */
const errorLimit = 65_536

interface Refused {
  readonly exchange: Exchange
  readonly options: EndpointOptions
  readonly url: string
  readonly sent: string
  readonly isPassthrough: boolean
}

/** The error of an answer whose status is not 2xx. */
export const refusalError = ({
  exchange,
  isPassthrough,
  options,
  sent,
  url
}: Refused): Effect.Effect<never, Failure | UpstreamError> =>
  Effect.flatMap(bodyOf(exchange), (body) => {
    const mayEntrust = sent.includes('"tools"') || sent.includes('"mcp_servers"')
    const entrusted = mayEntrust ? entrustedIn(parseJson(sent, bodyBounds)) : []
    const secrets = [...secretsOf(options, url), ...entrusted]
    const { headers, status } = exchange
    return refusal({ status, headers, body, secrets, sent: plain(sent), isPassthrough })
  })

/** An error's body up to the limit; empty if it broke off. */
export const bodyOf = (exchange: Exchange): Effect.Effect<string> =>
  Effect.promise(() => exchange.text(errorLimit).catch(emptyIfBroken)).pipe(
    Effect.onInterrupt(() => Effect.sync(() => exchange.cancel()))
  )

/**
 * The body without needless escapes, because the upstream's message is compared with it: some JSON writers escape
 * slashes.
 */
const plain = (sent: string): string => {
  const parsed = sent.includes("\\") ? parseJson(sent, bodyBounds) : undefined
  return parsed === undefined ? sent : JSON.stringify(parsed)
}

const emptyIfBroken = (cause: unknown): string => {
  if (cause instanceof BrokenBody) return ""
  throw cause
}
