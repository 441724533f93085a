/** The name under which the signature of an assistant's text is kept, because texts have no ids. */
export const signedTextId = (text: string): string => `text:${hashOf(text)}`

/** The same of an image that the model made, by its base64. */
export const signedImageId = (data: string): string => `image:${hashOf(data)}`

const hashOf = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("base64url")
