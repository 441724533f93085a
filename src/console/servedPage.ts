import { join } from "node:path"
import { pathOf } from "../contract/pathOf.ts"
import { assetsPath } from "./bundle.ts"
import { unpackPage } from "./PagePack.ts"
import type { PackedFile } from "./PagePack.ts"

type Files = ReadonlyMap<string, PackedFile>

/** What `bun run build` puts beside the program, or `npm pack` beside this file. */
const packName = "console.pack"

const shipped = async (): Promise<Blob | undefined> => {
  const embedded = Bun.embeddedFiles.find((file) => "name" in file && String(file.name).endsWith(packName))
  if (embedded !== undefined) return embedded
  const beside = Bun.file(join(import.meta.dirname, packName))
  return (await beside.exists()) ? beside : undefined
}

/** From sources there is no build step: the page is built when it is first asked for, and again when a source has changed. */
const fromSources = (): (() => Promise<Files>) => {
  let built: { readonly newest: number; readonly files: Promise<Files> } | undefined
  return async () => {
    const { bundlePage, newestSource } = await import("./bundle.ts")
    // What compresses is loaded where something is to be compressed: a server that has the pack never does.
    const { packPage } = await import("./packPage.ts")
    const newest = await newestSource()
    if (built?.newest !== newest) {
      built = { newest, files: bundlePage("development").then((files) => unpackPage(packPage(files, 5))) }
    }
    return built.files
  }
}

const findFiles = (): (() => Promise<Files>) => {
  let found: Promise<() => Promise<Files>> | undefined
  const find = async () => {
    const pack = await shipped()
    if (pack === undefined) return fromSources()
    const files = unpackPage(pack)
    return () => files
  }
  return async () => (await (found ??= find()))()
}

/**
 * Nothing inline, nothing from elsewhere, in nobody's frame, and no text becomes markup. Links to the gateway's files begin
 * with its public URL, which may be another address than the one that the page was opened at: videos are played from there.
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

/** Of an http address; undefined of whatever else somebody has configured. */
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
 * The console's page: `/console` and every path below it, its scripts and styles below `/console/assets/`, and `/` for
 * browsers, which are led there. Compressed once; names of assets change with what is in them, so they are kept for ever.
 *
 * @param publicUrl as it is configured; undefined where links begin with the address that the gateway listens on
 */
export const consolePages = (publicUrl: string | undefined) => {
  const files = findFiles()
  const always = headersFor(publicUrl)
  const missing = () => new Response(null, { status: 404, headers: always })

  const send = (request: Request, file: PackedFile, caching: string): Response | Promise<Response> => {
    const coding = codingOf(request.headers.get("accept-encoding") ?? "")
    const etag = `"${file.hash}${coding === undefined ? "" : `-${coding}`}"`
    const headers: Record<string, string> = { ...always, "cache-control": caching, etag }
    if (tagsOf(request.headers.get("if-none-match")).includes(etag)) return new Response(null, { status: 304, headers })
    headers["content-type"] = file.type
    if (coding === undefined) {
      return file.gzip.bytes().then((bytes) => new Response(Bun.gunzipSync(bytes), { headers }))
    }
    headers["content-encoding"] = coding
    return new Response(coding === "br" ? file.br : file.gzip, { headers })
  }

  const page = async (request: Request): Promise<Response> => {
    const index = (await files()).get("index.html")
    return index === undefined ? missing() : send(request, index, "no-cache")
  }

  const asset = async (request: Request): Promise<Response> => {
    const name = pathOf(request).slice(assetsPath.length)
    const file = (await files()).get(name)
    return file === undefined ? missing() : send(request, file, "public, max-age=31536000, immutable")
  }

  /** Whoever looks with a browser wants to see something; clients are told as ever that here is nothing. */
  const root = (request: Request): Response | undefined =>
    request.headers.get("accept")?.includes("text/html") === true
      ? new Response(null, { status: 302, headers: { location: "/console", vary: "accept" } })
      : undefined

  return { "/": root, "/console": page, "/console/*": page, [`${assetsPath}*`]: asset } as const
}

/** The better of the two that the client takes; browsers take `br` only where nobody on the way can change it. */
const codingOf = (accepted: string): "br" | "gzip" | undefined => {
  const codings = accepted
    .split(",")
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(";")[0]?.trim().toLowerCase())
  return codings.includes("br") ? "br" : codings.includes("gzip") ? "gzip" : undefined
}

const tagsOf = (header: string | null): ReadonlyArray<string> =>
  (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""))
