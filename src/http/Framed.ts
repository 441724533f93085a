import type { JsonObject } from "../contract/fields.ts"
import type { Read } from "./body.ts"

/** A request that arrived as a WebSocket message. */
export interface Framed extends Read {
  readonly body: JsonObject
  /** The socket's identity, for state that lives as long as the socket. */
  readonly connection: object
}
