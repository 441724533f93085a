/**
 * An upstream's trouble of its own or of the operator's account, whatever the request: it accepts no more calls (429,
 * 529), it refuses the operator's key, the account has no money left, or it is unreachable.
 */
export type UpstreamTrouble = "saturated" | "refused-key" | "empty-account" | "unreachable"
