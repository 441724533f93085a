import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

export type RenderedPage = (request: Request) => Response

/** Serves a constant page, with gzip and `If-None-Match`. It is compressed once, on a worker thread. */
export const renderPage = async (text: string, headers: Readonly<Record<string, string>>): Promise<RenderedPage> => {
  // Weak, because the compressed and the plain page share it.
  const etag = `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`
  // `no-cache`: browsers revalidate, because another version of the gateway has another page here.
  const all = { ...headers, etag, "cache-control": "no-cache", vary: "accept-encoding" }
  // Blobs are shared between responses; a string would be copied for every slow reader.
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
