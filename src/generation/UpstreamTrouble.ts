/**
 * What an upstream says of itself or of the operator's account there, whoever's request it answers: it takes no more calls
 * (429, 529), refuses the operator's key, has no money left on that account, or can't be reached.
 */
export type UpstreamTrouble = "saturated" | "refused-key" | "empty-account" | "unreachable"
