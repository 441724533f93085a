import { exportJWK, generateKeyPair, importJWK, SignJWT } from "jose"
import type { CryptoKey, JWK, JWTPayload, SignOptions } from "jose"

interface Signer {
  readonly privateKey: CryptoKey
  readonly jwk: JWK
  /** The private key for another algorithm of its kind. */
  readonly keyFor: (alg: string) => Promise<CryptoKey | Uint8Array>
}

export const audience = "model-gateway"

const without = (fields: object) => JSON.parse(JSON.stringify(fields))

/** A pair of keys under a name. */
export const newSigner = async (kid: string, alg = "RS256"): Promise<Signer> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const keyFor = async (other: string) => importJWK(await exportJWK(privateKey), other)
  return { privateKey, keyFor, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } }
}

/** An issuer of access tokens, whose answers a test chooses. */
export const startIssuer = async () => {
  const first = await newSigner("one")
  const second = await newSigner("two", "ES256")
  const fetches: Array<string> = []
  let keys: ReadonlyArray<JWK> = [first.jwk, second.jwk]
  let metadata: object = {}
  let answer: ((path: string) => Response | undefined | Promise<Response>) | undefined

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request): Promise<Response> => {
      const { pathname } = new URL(request.url)
      fetches.push(pathname)
      const other = await answer?.(pathname)
      if (other !== undefined) return other
      if (pathname === "/.well-known/openid-configuration") {
        return Response.json({ issuer, jwks_uri: `${issuer}/jwks`, ...metadata })
      }
      return pathname === "/jwks" ? Response.json({ keys }) : new Response(null, { status: 404 })
    }
  })
  const issuer: string = `http://localhost:${server.port}`
  const now = () => Math.floor(Date.now() / 1_000)
  const claims = (more: object = {}): JWTPayload =>
    without({ iss: issuer, aud: audience, sub: "ann", team: "research", iat: now(), exp: now() + 600, ...more })
  /** What differs from the usual; undefined leaves a field out. */
  const token = (
    more: object = {},
    header: object = {},
    key: CryptoKey | Uint8Array = first.privateKey,
    options?: SignOptions
  ) => new SignJWT(claims(more)).setProtectedHeader(without({ alg: "RS256", kid: "one", ...header })).sign(key, options)

  return {
    issuer,
    first,
    second,
    claims,
    token,
    now,
    /** Paths of the requests so far. */
    fetches,
    publishes: (next: ReadonlyArray<JWK>, more: object = {}) => {
      keys = next
      metadata = more
    },
    /** Answers something else; undefined as usual. */
    answers: (next: typeof answer) => (answer = next),
    stop: () => server.stop(true)
  }
}
export type TokenIssuer = Awaited<ReturnType<typeof startIssuer>>

/** What answers while an issuer is away. */
export const away = () => new Response("gone", { status: 503 })
