/**
 * Whose the opaque form of a reasoning item is, so that only its maker gets it back: each refuses the others'. OpenAI's
 * encrypted content is a Fernet token (version byte 0x80, so `gAAAA`); what the families seal themselves is marked.
 */
export const signedBy = (signature: string): "openai" | "gateway" | "anthropic" => {
  if (signature.startsWith("gAAAA")) return "openai"
  return signature === "" || sealed.test(signature) ? "gateway" : "anthropic"
}

/** The marks of messages (`gateway:1` in base64) and of responses. */
const sealed = /^(Z2F0ZXdheTox|mg1\.)/
