import { Redacted } from "effect"

/** The address that signs an operator in, once. What stands behind `#` is sent to nobody and logged nowhere. */
export const consoleLink = (address: string, token: Redacted.Redacted): string =>
  `${address}/console#link=${Redacted.value(token)}`
