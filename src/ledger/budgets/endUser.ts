/** Claude Code's session at the end of `metadata.user_id`, in either of its forms. */
const session = /_session_[\w-]{1,64}$|,?\s{0,4}"session_id"\s{0,4}:\s{0,4}"[^"]{0,128}"?/

/** An end user as a request names it, without the session that Claude Code adds: a person has many. */
export const personOf = (endUser: string): string => endUser.replace(session, "")
