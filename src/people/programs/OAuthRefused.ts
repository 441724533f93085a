import { Data } from "effect"

const statuses = {
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
  invalid_request: 400,
  unsupported_grant_type: 400,
  // Claude Code forgets its sign-in on this status, and RFC 6749 allows it.
  invalid_grant: 401,
  temporarily_unavailable: 503
} as const

/** A refusal of the token endpoints (RFC 6749, section 5.2; RFC 8628, section 3.5). */
export class OAuthRefused extends Data.TaggedError("OAuthRefused")<{
  readonly code: keyof typeof statuses
  /** For people; names no secret. */
  readonly message: string
}> {
  get status(): number {
    return statuses[this.code]
  }
}
