import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"

/** How an answer may be packed. */
export type Encoding = "gzip" | "deflate" | "br" | "zstd"

const packers: Readonly<Record<Encoding, (bytes: Uint8Array) => Uint8Array<ArrayBuffer>>> = {
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (bytes) => zstdCompressSync(bytes)
}

export const pack = (encoding: Encoding, body: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  packers[encoding](typeof body === "string" ? Buffer.from(body) : body)
