/** The most live counters of tags and end users of an account; further ones share a counter. */
export const mostOwn = 10_000

/** True for the counter of a tag or an end user. */
export const isOwn = (subject: string): boolean => subject.startsWith("=")
