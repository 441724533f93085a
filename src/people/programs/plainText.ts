/** Text of a stranger, without characters that change how other text is shown. */
export const plainText = (text: string, longest: number): string => text.replace(/[^\x20-\x7e]/g, "").slice(0, longest)
