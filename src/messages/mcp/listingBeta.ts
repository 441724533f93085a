/** The beta of lists that the caller keeps, and of changes of servers' tools. */
export const listingBeta = "mcp-client-2026-09-15"
