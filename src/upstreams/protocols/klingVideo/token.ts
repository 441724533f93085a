import { createHmac } from "node:crypto"

/** Kling's tokens work for half an hour at most; the clocks may differ by five seconds. */
const livesSeconds = 1_800
const toleranceSeconds = 5

/**
 * The bearer token of a key. `<access key>:<secret key>` signs a token of its own for each call (JWT, HS256); a key
 * without a colon is the token itself, as gateways with Kling's API give them.
 */
export const tokenOf = (apiKey: string, nowSeconds = Math.floor(Date.now() / 1_000)): string => {
  const colon = apiKey.indexOf(":")
  if (colon < 0) return apiKey
  const claims = {
    iss: apiKey.slice(0, colon),
    exp: nowSeconds + livesSeconds,
    nbf: nowSeconds - toleranceSeconds
  }
  const signed = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded(claims)}`
  const secret = apiKey.slice(colon + 1)
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")
