import { exportJWK, generateKeyPair, SignJWT } from "jose"
import type { JWTPayload } from "jose"

/** A provider that answers whatever a test wants, on `localhost`: another site than the gateway's. */
export const startForger = async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true })
  const stranger = await generateKeyPair("RS256")
  const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" }
  let idToken: (claims: JWTPayload) => Promise<string> | string = (claims) => sign(claims)
  let tokenAnswer: (() => Response) | undefined
  let refreshToken: (sent: string | null) => Promise<string | undefined> | string | undefined = () => undefined
  let exchanges = 0
  let nonce = ""

  const server = Bun.serve({
    port: 0,
    hostname: "localhost",
    fetch: async (request): Promise<Response> => {
      switch (new URL(request.url).pathname) {
        case "/.well-known/openid-configuration":
          return Response.json({
            issuer,
            authorization_endpoint: `${issuer}/auth`,
            token_endpoint: `${issuer}/token`,
            jwks_uri: `${issuer}/jwks`,
            end_session_endpoint: `${issuer}/end`,
            response_types_supported: ["code"],
            subject_types_supported: ["public"],
            id_token_signing_alg_values_supported: ["RS256"]
          })
        case "/jwks":
          return Response.json({ keys: [jwk] })
        case "/token":
          exchanges++
          if (tokenAnswer !== undefined) return tokenAnswer()
          return tokens(new URLSearchParams(await request.text()).get("refresh_token"))
        default:
          return new Response(null, { status: 404 })
      }
    }
  })
  const issuer: string = `http://localhost:${server.port}`
  const tokens = async (sent: string | null): Promise<Response> => {
    const next = await refreshToken(sent)
    const answer = { access_token: "a", token_type: "Bearer", ...(next !== undefined && { refresh_token: next }) }
    if (sent === null) return Response.json({ ...answer, id_token: await idToken(usual()) })
    return next === undefined ? Response.json({ error: "invalid_grant" }, { status: 400 }) : Response.json(answer)
  }
  const now = () => Math.floor(Date.now() / 1_000)
  const usual = (): JWTPayload => ({
    iss: issuer,
    aud: "gateway",
    sub: "ann",
    iat: now(),
    exp: now() + 300,
    nonce,
    email: "ann@corp.test",
    email_verified: true,
    groups: ["staff"]
  })
  const sign = (claims: JWTPayload, key = privateKey, alg = "RS256") =>
    new SignJWT(claims).setProtectedHeader({ alg, kid: "one" }).sign(key)

  return {
    issuer,
    jwk,
    sign,
    now,
    stranger: stranger.privateKey,
    exchanges: () => exchanges,
    /** Sets the ID token of the next exchanges. */
    answers: (next: typeof idToken) => (idToken = next),
    /** Sets the refresh tokens of the next exchanges: the first of a sign-in, and the one in the place of another. */
    refreshes: (next: typeof refreshToken) => (refreshToken = next),
    /** Sets the whole answer in place of tokens. */
    answersWhole: (next: typeof tokenAnswer) => (tokenAnswer = next),
    /** Reads the nonce that the gateway asked for. */
    asked: (location: string) => (nonce = new URL(location).searchParams.get("nonce") ?? ""),
    stop: () => server.stop(true)
  }
}
export type Forger = Awaited<ReturnType<typeof startForger>>

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A token without a signature. */
export const unsigned = (claims: JWTPayload): string => `${base64({ alg: "none" })}.${base64(claims)}.`

/** A token signed with the provider's public key as a password, which is no secret. */
export const confused = (claims: JWTPayload, jwk: object): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", kid: "one" })
    .sign(new TextEncoder().encode(JSON.stringify(jwk)))
