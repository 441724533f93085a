import type { EntryPoint } from "../config/EntryPoints.ts"

/** The page that an address without the console has for people: there they let programs in, and connect accounts. */
const personPages = ["device", "consent", "tools"] as const

/** Paths of the console's pages at an address, with patterns. */
export const pagePaths = (entry: EntryPoint["name"]): ReadonlyArray<string> =>
  entry === "public"
    ? [...personPages.map((page) => `/console/${page}`), "/console/tools/*"]
    : ["/console", "/console/*"]

/** True for the path of a page of the console at an address. */
export const isPage = (entry: EntryPoint["name"], path: string): boolean =>
  pagePaths(entry).some((own) => (own.endsWith("*") ? path.startsWith(own.slice(0, -1)) : path === own))

/** The page that a sign-in leads to without another one. */
export const frontPage = (entry: EntryPoint["name"]): string => (entry === "public" ? "/console/device" : "/console")
