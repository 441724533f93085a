import type { EntryPoint } from "../config/EntryPoints.ts"
import { frontPage, isPage } from "../people/entryPages.ts"

/** A program's request (`CodeSignIns`) is the longest part of an address; the cookie of a sign-in has room for it. */
const longest = 2_400

/**
 * The page after a sign-in: a path of the console and nothing else, so that no link leads elsewhere.
 *
 * @param asked as the link says it
 * @param base the path of the address for clients, which it may begin with
 * @param entry the address, whose pages count
 * @returns the path below `base`
 */
export const consolePath = (asked: string | null, base: string, entry: EntryPoint["name"]): string => {
  const path = (asked ?? "").startsWith(`${base}/`) ? (asked ?? "").slice(base.length) : (asked ?? "")
  const at = path.startsWith("/") && path.length <= longest ? URL.parse(path, "http://here.invalid") : null
  if (at === null || at.host !== "here.invalid" || !isPage(entry, at.pathname)) return frontPage(entry)
  return at.pathname + at.search
}
