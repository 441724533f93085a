/**
 * Whose the opaque form of a reasoning item is, so that only its maker gets it back: each refuses the others'. OpenAI's
 * encrypted content is a Fernet token (version byte 0x80, so `gAAAA`); what the gateway makes up itself says so.
 */
export const signedBy = (signature: string): "openai" | "gateway" | "anthropic" => {
  if (signature.startsWith("gAAAA")) return "openai"
  return signature === "" || signature.startsWith("gw_") || signature.startsWith("gw:") ? "gateway" : "anthropic"
}
