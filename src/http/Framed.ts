import type { JsonObject } from "../contract/fields.ts"
import type { Read } from "./body.ts"

/** A request that came as a message of a socket. */
export interface Framed extends Read {
  readonly body: JsonObject
  /** The socket's identity: what is remembered for it is forgotten with it. */
  readonly connection: object
}
