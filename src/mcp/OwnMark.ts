import { Context, Redacted } from "effect"

/**
 * The gateway's name in the `Via` header of its requests to servers, the same on all nodes. One that comes back to `/mcp`
 * would go round for ever. Empty: no header is sent.
 */
export class OwnMark extends Context.Reference<OwnMark>()("gateway/mcp/OwnMark", { defaultValue: () => "" }) {}

/** @param secret of all nodes; what is derived from it tells nothing of it */
export const markOf = (secret: Redacted.Redacted<Uint8Array>): string =>
  `1.1 model-gateway-${Buffer.from(Redacted.value(secret)).toString("hex", 0, 16)}`
