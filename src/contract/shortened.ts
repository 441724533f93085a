const longest = 80

/** What a caller sent, short enough to be told in a message. */
export const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)
