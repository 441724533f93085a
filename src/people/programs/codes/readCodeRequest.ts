import { Effect } from "effect"
import { OAuthRefused } from "../OAuthRefused.ts"
import { isRegistered } from "./redirects.ts"
import type { Client, CodeRequest } from "./SealedTexts.ts"
import { isOwnResource } from "./toolsResource.ts"

/** A wrong request, whose error goes back to the program. */
interface Refused {
  readonly redirect: string
  readonly state: string | undefined
  readonly refused: OAuthRefused
}

/**
 * Reads a request for a code. It fails for a person alone, where it is not known which program asks.
 *
 * @param clientOf the program of a client id
 */
export const readCodeRequest = (
  query: URLSearchParams,
  clientOf: (id: string) => Client | undefined,
  publicUrl: string
): Effect.Effect<Omit<CodeRequest, "expiresAtMs"> | Refused, OAuthRefused> => {
  const id = only(query, "client_id") ?? ""
  const client = clientOf(id)
  if (client === undefined) return noClient
  const redirect = only(query, "redirect_uri") ?? ""
  if (!isRegistered(client.redirects, redirect)) return noRedirect
  const state = only(query, "state")
  if (state !== undefined && !/^[\x20-\x7e]*$/.test(state)) return noState
  const refused = refusalOf(query, publicUrl)
  if (refused !== undefined) return Effect.succeed({ redirect, state, refused })
  const challenge = only(query, "code_challenge") ?? ""
  const request = { client: sha256(id), name: client.name, redirect, challenge }
  return Effect.succeed(state === undefined ? request : { ...request, state })
}

/** As base64url. */
export const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("base64url")

/** The value of a parameter; undefined if it is missing or not alone. */
const only = (query: URLSearchParams, name: string): string | undefined => {
  const [value, ...others] = query.getAll(name)
  return others.length > 0 ? undefined : value
}

const single = ["response_type", "state", "code_challenge", "code_challenge_method", "response_mode"]

const refusalOf = (query: URLSearchParams, publicUrl: string): OAuthRefused | undefined => {
  const twice = single.find((name) => query.getAll(name).length > 1)
  if (twice !== undefined) return refusal("invalid_request", `${twice}: sent more than once`)
  if (query.get("response_type") !== "code") return refusal("unsupported_response_type", "response_type: expected code")
  if ((query.get("response_mode") ?? "query") !== "query") {
    return refusal("invalid_request", "response_mode: expected query")
  }
  if (query.get("code_challenge_method") !== "S256") {
    return refusal("invalid_request", "code_challenge_method: expected S256")
  }
  if (!/^[\w-]{43}$/.test(query.get("code_challenge") ?? "")) {
    return refusal("invalid_request", "code_challenge: expected the SHA-256 of the verifier, as base64url")
  }
  return query.getAll("resource").every((resource) => isOwnResource(resource, publicUrl)) ? undefined : otherResource
}

const refusal = (code: OAuthRefused["code"], message: string): OAuthRefused => new OAuthRefused({ code, message })

/** A token for a resource that is not this gateway's. */
export const otherResource = refusal("invalid_target", "resource: expected the address of this gateway's /mcp")

const noClient = Effect.fail(refusal("invalid_request", "client_id: no program is registered with it here"))
const noRedirect = Effect.fail(
  refusal("invalid_request", "redirect_uri: expected one that the program has registered with its client_id")
)
const noState = Effect.fail(refusal("invalid_request", "state: expected visible ASCII characters"))
