import { Data } from "effect"

const statuses = {
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
  invalid_request: 400,
  invalid_target: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_client: 401,
  // Claude Code forgets its sign-in on this status, and RFC 6749 allows it.
  invalid_grant: 401,
  temporarily_unavailable: 503
} as const

/** A refusal of the OAuth endpoints (RFC 6749, sections 4.1.2.1 and 5.2; RFC 7591, 8628, 8707). */
export class OAuthRefused extends Data.TaggedError("OAuthRefused")<{
  readonly code: keyof typeof statuses
  /** For people; names no secret. */
  readonly message: string
}> {
  get status(): number {
    return statuses[this.code]
  }
}
