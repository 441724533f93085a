import { join } from "node:path"
import { Effect } from "effect"
import type { EntryPoint } from "../config/EntryPoints.ts"
import { publicPath } from "../config/publicPath.ts"
import { pathOf } from "../contract/text/pathOf.ts"
import { pagePaths } from "../people/entryPages.ts"
import { assetsPath } from "./bundle.ts"
import { unpackPage } from "./PagePack.ts"
import type { PackedFile } from "./PagePack.ts"

type Files = ReadonlyMap<string, PackedFile>

type Pages = Readonly<Record<string, (request: Request) => Response | Promise<Response> | undefined>>

/** Embedded by `bun run build`; `npm pack` puts it beside this file. */
const packName = "console.pack"

const shipped = async (): Promise<Blob | undefined> => {
  const embedded = Bun.embeddedFiles.find((file) => "name" in file && String(file.name).endsWith(packName))
  if (embedded !== undefined) return embedded
  const beside = Bun.file(join(import.meta.dirname, packName))
  return (await beside.exists()) ? beside : undefined
}

/** Without a pack: builds the page on the first request, and again when a source has changed. */
const fromSources = (): (() => Promise<Files>) => {
  let built: { readonly newest: number; readonly files: Promise<Files> } | undefined
  return async () => {
    const { bundlePage, newestSource } = await import("./bundle.ts")
    // Imported on demand: a server with a pack never compresses.
    const { packPage } = await import("./packPage.ts")
    const newest = await newestSource()
    if (built?.newest !== newest) {
      built = { newest, files: bundlePage("development").then((files) => unpackPage(packPage(files, 5))) }
    }
    return built.files
  }
}

/** Facts for the page's scripts, in `<meta>`. */
interface PageFacts {
  /** The path of the address for clients. */
  readonly "base-path": string
  /** The gateway's address for clients, where the page is at another one. */
  readonly "gateway-url": string
  /** `person`: there are no others than those on which people let programs in. */
  readonly pages: "all" | "person"
}

/**
 * The page below a path, which its assets begin with, and with what tells its scripts where they are. It is made once for each
 * build.
 */
const placed = (find: () => Promise<Files>, told: () => Promise<PageFacts>): (() => Promise<Files>) => {
  const made = new WeakMap<Files, Promise<Files>>()
  const place = async (files: Files): Promise<Files> => {
    const index = files.get("index.html")
    if (index === undefined) return files
    const said = await told()
    if (said["base-path"] === "" && said["gateway-url"] === "" && said.pages === "all") return files
    const { packPage } = await import("./packPage.ts")
    const contents = new Map(Object.entries(said))
    const html = new TextDecoder()
      .decode(Bun.gunzipSync(await index.gzip.bytes()))
      .replaceAll(`="${assetsPath}`, () => `="${Bun.escapeHTML(said["base-path"])}${assetsPath}`)
      .replaceAll(/<meta name="([a-z-]+)" content="[^"]*"/g, (tag, name) => {
        const content = contents.get(name)
        return content === undefined ? tag : `<meta name="${name}" content="${Bun.escapeHTML(content)}"`
      })
    const page = { name: "index.html", type: index.type, bytes: new TextEncoder().encode(html) }
    return new Map([...files, ...(await unpackPage(packPage([page])))])
  }
  return async () => {
    const files = await find()
    const before = made.get(files)
    if (before !== undefined) return before
    const now = place(files)
    made.set(files, now)
    return now
  }
}

const findFiles = (): (() => Promise<Files>) => {
  let source: Promise<() => Promise<Files>> | undefined
  const find = async () => {
    const pack = await shipped()
    if (pack === undefined) return fromSources()
    const files = unpackPage(pack)
    return () => files
  }
  return async () => (await (source ??= find()))()
}

/**
 * No inline code, no other origins, no framing, no text as markup. Links to the gateway's files, such as videos, begin with
 * its public URL, which may differ from the page's own origin.
 */
const policyOf = (publicOrigin: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    `media-src 'self' blob: data:${publicOrigin === undefined ? "" : ` ${publicOrigin}`}`,
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; ")

/** The origin of an http(s) URL; undefined for anything else. */
const originOf = (url: string | undefined): string | undefined => {
  const { origin, protocol } = (url === undefined ? null : URL.parse(url)) ?? {}
  return protocol === "http:" || protocol === "https:" ? origin : undefined
}

const headersFor = (publicUrl: string | undefined) => ({
  "content-security-policy": policyOf(originOf(publicUrl)),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  vary: "accept-encoding"
})

/**
 * The console's page at an address: `/console` and every path below it, its assets below `/console/assets/`, and a redirect
 * from `/` for browsers. Assets are named by their content's hash and cached forever. A public address without the console
 * has only the pages on which people let programs in.
 *
 * @param clients the gateway's address for clients
 * @param havePeople true while people sign in: a public address has no page for others
 */
export const consolePages = (entry: EntryPoint, clients: EntryPoint, havePeople: () => boolean): Pages => {
  const path = publicPath(entry.configuredUrl)
  const isApart = entry !== clients
  // The address for clients is known once the gateway listens.
  const urlForClients = () => (isApart ? Effect.runPromise(clients.url) : Promise.resolve(clients.configuredUrl))
  const files = placed(findFiles(), async () => ({
    "base-path": path,
    "gateway-url": isApart ? ((await urlForClients()) ?? "") : "",
    pages: entry.name === "public" ? "person" : "all"
  }))
  let headers: Promise<ReturnType<typeof headersFor>> | undefined
  const security = () => (headers ??= urlForClients().then(headersFor))
  const notFound = async () => new Response(null, { status: 404, headers: await security() })

  const send = async (request: Request, file: PackedFile, caching: string): Promise<Response> => {
    const coding = codingOf(request.headers.get("accept-encoding") ?? "")
    const etag = `"${file.hash}${coding === undefined ? "" : `-${coding}`}"`
    const headers: Record<string, string> = { ...(await security()), "cache-control": caching, etag }
    if (tagsOf(request.headers.get("if-none-match")).includes(etag)) return new Response(null, { status: 304, headers })
    headers["content-type"] = file.type
    if (coding === undefined) return new Response(Bun.gunzipSync(await file.gzip.bytes()), { headers })
    headers["content-encoding"] = coding
    return new Response(coding === "br" ? file.br : file.gzip, { headers })
  }

  const page = async (request: Request): Promise<Response> => {
    const index = (await files()).get("index.html")
    return index === undefined ? notFound() : send(request, index, "no-cache")
  }

  const asset = async (request: Request): Promise<Response> => {
    const name = pathOf(request).slice(assetsPath.length)
    const file = (await files()).get(name)
    return file === undefined ? notFound() : send(request, file, "public, max-age=31536000, immutable")
  }

  /** Redirects browsers; undefined leaves other clients with the usual 404. */
  const root = (request: Request): Response | undefined =>
    request.headers.get("accept")?.includes("text/html") === true
      ? new Response(null, { status: 302, headers: { location: `${path}/console`, vary: "accept" } })
      : undefined

  const pages: Pages = {
    ...Object.fromEntries(pagePaths(entry.name).map((path) => [path, page])),
    [`${assetsPath}*`]: asset
  }
  if (entry.name !== "public") return { "/": root, ...pages }
  return Object.fromEntries(
    Object.entries(pages).map(([path, answer]) => [path, (request) => (havePeople() ? answer(request) : undefined)])
  )
}

/** The best coding that the client accepts. Browsers accept `br` only over TLS. */
const codingOf = (accepted: string): "br" | "gzip" | undefined => {
  const codings = accepted
    .split(",")
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(";")[0]?.trim().toLowerCase())
  return codings.includes("br") ? "br" : codings.includes("gzip") ? "gzip" : undefined
}

const tagsOf = (header: string | null): ReadonlyArray<string> =>
  (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""))
