import type { BodyText } from "../contract/BodyText.ts"
import type { JsonObject } from "../contract/fields.ts"

/** A request that came as a message of a socket. */
export interface Framed {
  readonly body: JsonObject
  /** Absent where it is short. */
  readonly bodyText: BodyText | undefined
  readonly isLarge: boolean
  /** The socket's identity: what is remembered for it is forgotten with it. */
  readonly connection: object
}
