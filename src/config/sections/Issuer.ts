import { Schema } from "effect"
import { isLoopback } from "../loopback.ts"
import { HttpUrl } from "./values.ts"

/** Fetched without others on the way: https, or this machine's own. */
export const SafeUrl = HttpUrl.pipe(
  Schema.filter((text) => /^https:/i.test(text) || isLoopback(text), {
    message: () => "expected an https:// address"
  })
)

/** The address by which a provider names itself in its tokens. */
export const Issuer = HttpUrl.pipe(
  Schema.filter((text) => (!/[?#]/.test(text) && /^https:/i.test(text)) || isLoopback(text), {
    message: () => "expected the issuer's https:// address, without a query and a fragment"
  })
)
