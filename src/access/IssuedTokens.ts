import { Context } from "effect"
import type { Effect, Option } from "effect"
import type { AuthInvalid, Unavailable } from "../contract/failures/Failure.ts"
import type { Opening } from "./store/KeyRow.ts"

export interface TokenOpener {
  /** Undefined for a text that is no token: it is looked up as a secret. */
  readonly open: (secret: string) => Effect.Effect<Option.Option<Opening>, AuthInvalid | Unavailable> | undefined
}

/** Opens accounts by tokens that an issuer has signed, in place of a key's secret. By default there are none. */
export class IssuedTokens extends Context.Reference<IssuedTokens>()("gateway/access/IssuedTokens", {
  defaultValue: (): TokenOpener => ({ open: () => undefined })
}) {}
