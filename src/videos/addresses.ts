/** True for an http or https URL with a host. */
export const isHttpUrl = (text: string): boolean => {
  if (!/^https?:\/\//i.test(text)) return false
  return URL.canParse(text)
}

export interface DataUri {
  /** The subtype, in lower case. */
  readonly subtype: string
  readonly base64: string
  readonly bytes: number
}

/** `data:<type>/<subtype>;base64,<data>`; undefined for other text, empty data or invalid base64. */
export const readDataUri = (type: "image" | "audio", text: string): DataUri | undefined => {
  const comma = text.indexOf(",")
  // Only the head is matched: the data may be 30 MB.
  const head = /^data:(\w+)\/([\w.+-]+)(?:;[\w-]+=[\w.-]+)*;base64$/i.exec(
    comma < 0 || comma > 200 ? "" : text.slice(0, comma)
  )
  if (head?.[1]?.toLowerCase() !== type || head[2] === undefined) return undefined
  const base64 = text.slice(comma + 1)
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) return undefined
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0
  return { subtype: head[2].toLowerCase(), base64, bytes: Math.floor(((base64.length - padding) * 3) / 4) }
}
