/** The name under which the signature of an assistant's text is kept, because texts have no ids. */
export const signedTextId = (text: string): string =>
  `text:${new Bun.CryptoHasher("sha256").update(text).digest("base64url")}`
