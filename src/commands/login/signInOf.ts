import type { TokenAnswer } from "./AuthorizationServer.ts"
import type { StoredSignIn } from "./storedSignIns.ts"

/** Without `expires_in`, a token is taken to be good for this long. */
const usualSeconds = 300

/** A sign-in as stored. @param former the replaced one, whose refresh token stays if the answer has none */
export const signInOf = (answer: TokenAnswer, nowMs: number, former?: StoredSignIn): StoredSignIn => ({
  access_token: answer.access_token,
  refresh_token: answer.refresh_token ?? former?.refresh_token ?? null,
  expires_at: new Date(nowMs + (answer.expires_in ?? usualSeconds) * 1_000),
  email: answer.email ?? former?.email ?? null
})
