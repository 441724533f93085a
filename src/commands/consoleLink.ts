import { Redacted } from "effect"

/** A one-time sign-in link for an operator. Browsers send no fragment, so the token is in no access log. */
export const consoleLink = (address: string, token: Redacted.Redacted): string =>
  `${address}/console#link=${Redacted.value(token)}`
