/** The longest key or token, in characters: servers take 8 to 64 KiB of headers. */
const longest = 32_768

export const headerRule = `expected at most ${longest} printable ASCII characters, which a header can carry`

/** True for a key or token that can be sent in a header. */
export const isHeaderValue = (text: string): boolean => text.length <= longest && !/[^\x20-\x7e]/.test(text)
