import { withoutSlash } from "./withoutSlash.ts"

/**
 * The path of the public address, which a proxy takes off before it passes a request on: `/gw`; an empty text if there is
 * none. Links that a browser follows begin with it.
 */
export const publicPath = (url: string | undefined): string =>
  url === undefined ? "" : withoutSlash(URL.parse(url)?.pathname ?? "")
