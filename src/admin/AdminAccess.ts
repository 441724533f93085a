import { Effect } from "effect"
import { BadSettings } from "../config/document.ts"
import type { Acting } from "../contract/callers/Acting.ts"
import { AuthInvalid, AuthMissing } from "../contract/failures/Failure.ts"
import type { RateLimited } from "../contract/failures/Failure.ts"
import { unknownRoute } from "../contract/failures/unknownRoute.ts"
import { parseAllowed } from "../guard/addresses.ts"
import { makeTries } from "../guard/tries.ts"
import type { IncomingRequest, Tries } from "../guard/tries.ts"
import { AdminKeys } from "../access/AdminKeys.ts"

/**
 * Authenticates requests to the admin API by its keys.
 *
 * @param isOn false: there is no admin API, and requests with a key get the answer of an unknown route
 * @param proxies address ranges whose `X-Forwarded-For` is trusted
 */
export const makeAdminAccess = (isOn: boolean, proxies: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const keys = yield* AdminKeys
    const trustedProxies = yield* Effect.mapError(
      parseAllowed(proxies, "server.trusted_proxies"),
      ({ message }) => new BadSettings({ message })
    )
    const tries = makeTries(trustedProxies, yield* Effect.clock)
    return { tries, authenticate: isOn ? byKey(keys, tries) : absent } as const
  })

/**
 * Accepts admin keys and nothing else. They are looked up by what only this gateway can compute of them, so that the time
 * it takes tells nothing. Wrong keys slow their address down, right ones among them: someone guessing keys behind the
 * operator's own proxy must not lock the operator out.
 */
const byKey =
  ({ ofProof, proofOf }: AdminKeys, { countedAs, secrets }: Tries) =>
  (headers: Headers, incoming: IncomingRequest): Effect.Effect<Acting, AuthMissing | AuthInvalid | RateLimited> => {
    const authorization = headers.get("authorization")
    const token = authorization === null ? undefined : /^bearer +(\S+)$/i.exec(authorization.trim())?.[1]
    const key = headers.get("x-api-key") ?? undefined
    const given = [token, key].filter((secret) => secret !== undefined)
    if (given.length === 0) return authorization === null ? missing : malformed
    const look = Effect.suspend(() => {
      const acting = given.map((secret) => ofProof(proofOf(secret))).find((one) => one !== undefined)
      return acting === undefined ? wrong : Effect.succeed(acting)
    })
    return secrets.checked(countedAs(incoming), look, isAny)
  }

/** The answer of an unknown route, so the response does not reveal that the path exists. */
const absent = (_: Headers, { request }: IncomingRequest) => Effect.fail(unknownRoute(request))

const missing = Effect.fail(
  new AuthMissing({ message: "Missing Authorization header: send `Authorization: Bearer <GATEWAY_ADMIN_KEY>`" })
)
const malformed = Effect.fail(
  new AuthInvalid({ message: "Malformed Authorization header: expected `Authorization: Bearer <GATEWAY_ADMIN_KEY>`" })
)
const wrong = Effect.fail(new AuthInvalid({ message: "This key does not open the admin API" }))
const isAny = () => true
