/**
 * True if the browser says that another site's page sent the request.
 *
 * @param own the gateway's public URL, in case a proxy changes `Host`
 */
export const isForeign = (headers: Headers, own: string): boolean => {
  if (isOtherSite(headers)) return true
  const origin = headers.get("origin")
  if (origin === null) return false
  const from = URL.parse(origin)
  return from === null || (from.host !== headers.get("host") && from.origin !== URL.parse(own)?.origin)
}

const isOtherSite = (headers: Headers): boolean => {
  const site = headers.get("sec-fetch-site")
  return site !== null && site !== "same-origin" && site !== "none"
}

/**
 * True if another site's page loads this as a part of itself: an image, a frame, a fetch. Browsers say so over TLS; without it
 * an image is known by what it accepts.
 */
export const isEmbedded = (headers: Headers): boolean => {
  if (headers.get("sec-fetch-site") === null) return headers.get("accept")?.startsWith("image/") === true
  return isOtherSite(headers) && (!is(headers, "mode", "navigate") || !is(headers, "dest", "document"))
}

const is = (headers: Headers, what: "mode" | "dest", value: string): boolean =>
  (headers.get(`sec-fetch-${what}`) ?? value) === value

/** True if the browser says that another site's page leads here without a click of its user. */
export const isLedHere = (headers: Headers): boolean => isOtherSite(headers) && headers.get("sec-fetch-user") !== "?1"
