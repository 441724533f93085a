import { Effect, Option } from "effect"
import { PublicUrl } from "../config/PublicUrl.ts"
import { Settings } from "../config/Settings.ts"
import { withoutSlash } from "../config/withoutSlash.ts"
import type { McpServerRequest } from "../generation/McpServerRequest.ts"

/** The place of a server that a request names. */
export type ServerPlace =
  /** Of the configuration. */
  | { readonly at: "registered"; readonly name: string }
  | { readonly at: "elsewhere"; readonly url: string }
  /** Another address of the gateway: the request would come back to it, and each round begin anew. */
  | { readonly at: "here" }

type PlaceOf = (asked: Pick<McpServerRequest, "isUpstreams" | "label" | "url">) => ServerPlace

/**
 * Tells where the servers of a request are. A label without an address is a registered server, and so is the gateway's
 * address of one, `<public url>/mcp/<server>`. If no address is configured, the one by which the request came counts too.
 */
export const makeServerPlaces = Effect.map(Effect.all([PublicUrl, Settings]), ([publicUrl, { server }]) => {
  const isConfigured = Option.isSome(server.publicUrl)
  return (headers: Headers): Effect.Effect<PlaceOf> =>
    Effect.map(publicUrl.get, (url) => {
      const host = isConfigured ? null : headers.get("host")
      const starts = [url, ...(host === null ? [] : [`http://${host}`, `https://${host}`])].map(plain)
      return (asked) => placeOf(asked, starts)
    })
})

const placeOf = ({ isUpstreams, label, url }: Parameters<PlaceOf>[0], starts: ReadonlyArray<string>): ServerPlace => {
  if (url === undefined) return isUpstreams === true ? { at: "elsewhere", url: "" } : { at: "registered", name: label }
  const address = plain(url)
  const start = starts.find((one) => address.startsWith(one))
  if (start === undefined) return { at: "elsewhere", url }
  const name = /^mcp\/([\w-]+)\/$/.exec(address.slice(start.length))?.[1]
  return name === undefined ? { at: "here" } : { at: "registered", name }
}

const plain = (url: string): string => `${withoutSlash(URL.parse(url)?.href ?? url)}/`
