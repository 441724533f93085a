import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

/** Answers who asks for a page. */
export type RenderedPage = (request: Request) => Response

/**
 * A page that stays as it is for as long as the process lives: sent in gzip to whoever reads that, and not at all to
 * whoever has it already (`If-None-Match`). It is packed once, on a thread of its own.
 */
export const renderPage = async (text: string, headers: Readonly<Record<string, string>>): Promise<RenderedPage> => {
  // A weak one: packed or not, it says the same.
  const etag = `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`
  // Another version of the gateway has another page at the same address: asked for again, and had for nothing.
  const all = { ...headers, etag, "cache-control": "no-cache", vary: "accept-encoding" }
  // Blobs are sent from where they are; a text of this size would be copied for every slow reader.
  const [plain, packed] = [new Blob([text]), new Blob([Buffer.from(await promisify(gzip)(text))])]
  return (request) => {
    if (hasIt(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers: all })
    return readsGzip(request.headers.get("accept-encoding"))
      ? new Response(packed, { headers: { ...all, "content-encoding": "gzip" } })
      : new Response(plain, { headers: all })
  }
}

const hasIt = (known: string | null, etag: string): boolean =>
  (known ?? "").split(",").some((one) => one.trim() === "*" || strong(one.trim()) === strong(etag))

const strong = (tag: string) => tag.replace(/^W\//, "")

const readsGzip = (encodings: string | null): boolean =>
  (encodings ?? "").split(",").some((one) => /^(?:gzip|\*)(?:;q=(?!0(?:\.0*)?$).*)?$/.test(one.replaceAll(" ", "")))
