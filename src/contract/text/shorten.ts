const longest = 80

/** A caller's text, cut for an error message. */
export const shorten = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)
