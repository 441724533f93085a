import { Context, Layer } from "effect"
import { randomHex } from "../contract/text/randomHex.ts"

/**
 * The gateway's name in the `Via` header of its requests to servers. One that comes back to `/mcp` would go round for
 * ever. Empty: no header is sent.
 */
export class OwnMark extends Context.Reference<OwnMark>()("gateway/mcp/OwnMark", { defaultValue: () => "" }) {
  static readonly layer = Layer.sync(OwnMark, () => `1.1 model-gateway-${randomHex()}`)
}
