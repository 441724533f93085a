/**
 * Stored formats that older nodes can't read, in the order in which they were introduced. A node stores one once every node
 * reads it (`Node.sharedFormat`).
 */
export const formats = { sealedRequests: 1, versionedSums: 1 } as const

/** The newest format that this version reads. */
export const newestFormat: number = Math.max(...Object.values(formats))
